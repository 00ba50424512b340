/** The length from which one wrong letter is reported: shorter names resemble variables of other programs. */
const SHORTEST = 8;

/** Returns two words without their common beginning and end. */
function findDifference(one: string, other: string): [string, string] {
  const most = Math.min(one.length, other.length);
  let begin = 0;
  while (begin < most && one[begin] === other[begin]) begin += 1;
  let end = 0;
  while (end < most - begin && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return [one.slice(begin, one.length - end), other.slice(begin, other.length - end)];
}

/**
 * Checks whether two words differ by two swapped letters or, in a long word, by one added, missing or wrong
 * letter.
 */
function isOneSlip(given: string, setting: string): boolean {
  const [left, right] = findDifference(given, setting);
  if (setting.length >= SHORTEST && left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && left === right.at(-1)! + right[0]!;
}

/**
 * Returns a hint for each unknown variable whose name is one typing error away from an unset setting. All other
 * variables belong to other programs.
 *
 * @param settings the names of the settings that the program reads
 */
export function nameMisspelt(variables: NodeJS.ProcessEnv, settings: readonly string[]): string[] {
  const unset = settings.filter((setting) => !variables[setting]);
  return Object.keys(variables)
    .filter((name) => !settings.includes(name))
    .flatMap((name) => {
      const near = unset.find((setting) => isOneSlip(name.toUpperCase(), setting));
      return near === undefined ? [] : [`${name} is no setting; is it ${near}?`];
    });
}
