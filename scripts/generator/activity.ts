import { allCodes, type Activities } from './entry.ts';
import type { Random } from './random.ts';
import { readRows } from './table.ts';

type CodeYear = Activities['codeYear'];

// Construction, trade, transport, computing, professions, health and personal services make most
// of the country; the other divisions share the rest.
const popularDivisions = new Set(
  '41 43 45 46 47 49 56 62 68 69 71 73 74 81 82 85 86 95 96'.split(' '),
);

const codeRows = readRows('../../sql/country/pl/activity_code.csv');
const codes = { '2007': codesOf('2007'), '2025': codesOf('2025') };

function codesOf(year: string) {
  const all = codeRows.filter(([of]) => of === year).map(([, code]) => code!);
  return { all, popular: all.filter((code) => popularDivisions.has(code.slice(0, 2))) };
}

const keyRows = readRows('../../sql/country/pl/activity_recoding.csv');
const officialKey = Map.groupBy(keyRows, ([, old]) => old!);

/** The codes of 2025 that the official key gives for a code of 2007; itself when the key is silent. */
export function keyTargets(code: string): readonly string[] {
  return officialKey.get(code)?.map(([, , , target]) => target!) ?? [code];
}

/** A code of that year which is not among the given ones. */
export function drawCode(random: Random, year: CodeYear, taken: readonly string[]): string {
  for (;;) {
    const code = random.pick(codes[year][random.chance(0.85) ? 'popular' : 'all']);
    if (!taken.includes(code)) return code;
  }
}

// Measured on the reports of September 2026: rows still under PKD 2007.
const share2007 = 0.586;

/** Activities of a new entry: one main code and none to 18 others. */
export function drawActivities(random: Random): Activities {
  const codeYear = random.chance(share2007) ? '2007' : '2025';
  const drawn = [drawCode(random, codeYear, [])];
  // Many have few codes and few have many: the mean decides the length of the average row.
  const count = Math.floor(random.unit() ** 2 * 19);
  for (let i = 0; i < count; i += 1) drawn.push(drawCode(random, codeYear, drawn));
  return { codeYear, mainCode: drawn[0]!, otherCodes: drawn.slice(1) };
}

/** The same activities under PKD 2025, every code replaced by a target that the key gives for it. */
export function reclassify(activities: Activities, { random }: { random: Random }): Activities {
  const mainCode = random.pick(keyTargets(activities.mainCode));
  const others = new Set(activities.otherCodes.map((code) => random.pick(keyTargets(code))));
  others.delete(mainCode);
  return { codeYear: '2025', mainCode, otherCodes: [...others] };
}

/** Activities under PKD 2025 that the official key may not explain: a foreign code, or one too few. */
export function reclassifyPartly(before: Activities, { random }: { random: Random }): Activities {
  const after = reclassify(before, { random });
  const foreign = drawCode(random, '2025', allCodes(before).flatMap(keyTargets));
  return random.pick([
    { ...after, mainCode: foreign, otherCodes: allCodes(after) },
    { ...after, otherCodes: after.otherCodes.slice(1) },
    { ...after, otherCodes: [...after.otherCodes, foreign] },
  ]);
}
