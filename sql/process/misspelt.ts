/** The minimum length of a setting's name for a hint about one wrong letter: shorter names resemble other variables. */
const SHORTEST = 8;

/** Checks whether two words differ by two swapped letters or, in a long word, by one added, missing or wrong letter. */
function isOneSlip(given: string, setting: string): boolean {
  let same = 0;
  while (same < setting.length && given[same] === setting[same]) same += 1;
  const [left, right] = [given.slice(same), setting.slice(same)];
  const isLetter = [left.slice(1), left].includes(right.slice(1)) || left.slice(1) === right;
  const isSwap = left.length > 1 && left[1]! + left[0]! + left.slice(2) === right;
  return isSwap || (isLetter && setting.length >= SHORTEST);
}

/**
 * Returns a hint for each unknown variable whose name is one typing error away from an unset setting. All other unknown
 * variables are ignored, because they belong to other programs.
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
