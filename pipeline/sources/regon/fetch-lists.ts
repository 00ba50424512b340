import { existsSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../errors.ts';
import { type DumpFolder, readLines, writeLines } from '../../fetch/folder.ts';
import { checkAnswer } from './fetch-report.ts';
import { type Bir, errorCodeOf } from './bir.ts';
import type { FetchPlan } from '../../fetch/report.ts';

/** BIR's names of the daily lists, by the file that stores each list; source.ts reads these files. */
const lists = {
  'new.txt': 'BIR11NowePodmiotyPrawneOrazDzialalnosciOsFizycznych',
  'updated.txt': 'BIR11AktualizowanePodmiotyPrawneOrazDzialalnosciOsFizycznych',
  'deleted.txt': 'BIR11SkreslonePodmiotyPrawneOrazDzialalnosciOsFizycznych',
  'new_units.txt': 'BIR11NoweJednostkiLokalne',
  'updated_units.txt': 'BIR11AktualizowaneJednostkiLokalne',
  'deleted_units.txt': 'BIR11SkresloneJednostkiLokalne',
};

/** The suffix of a file with the REGON numbers that a fetch had no time to request and leaves to the next fetch. */
const leftEnd = '.left.txt';

/** Fetches the daily lists that the folder `lists/` lacks. Moves `.left.txt` files of earlier fetches into `lists/`. */
export async function readLists(
  bir: Bir,
  { date, progress }: FetchPlan,
  { work, inbox }: DumpFolder,
): Promise<void> {
  const folder = join(work, 'lists');
  await mkdir(folder, { recursive: true });
  const all = Object.entries(lists);
  for (const [at, [file, list]] of all.entries()) {
    const path = join(folder, file);
    if (!existsSync(path)) {
      const rows = await bir.list(list, date);
      if (errorCodeOf(rows) === '101') {
        throw new Refusal(`GUS has no lists of ${date}; it keeps those of about a week`);
      }
      checkAnswer(rows, list);
      await writeLines(
        path,
        rows.flatMap(({ regon }) => regon || []),
      );
    }
    progress.count(at + 1, all.length);
  }
  for (const name of await readdir(inbox)) {
    if (name.endsWith(leftEnd)) await rename(join(inbox, name), join(folder, name));
  }
}

export type Entities = Awaited<ReturnType<typeof listEntities>>;

/** Returns the entities that a daily list names by their own REGON or a local unit's, in ascending order of REGON9. */
export async function listEntities({ work }: DumpFolder) {
  const files = await readdir(join(work, 'lists'));
  const numbers = await Promise.all(files.map((file) => readLines(join(work, 'lists', file))));
  const listed = Map.groupBy(new Set(numbers.flat()), toRegon9);
  const { asked = [], odd = [] } = Object.groupBy(listed.keys(), (regon) =>
    /^\d{9}$/.test(regon) ? 'asked' : 'odd',
  );
  return {
    asked: asked.toSorted(),
    /** Returns the REGON14 of those local units of an entity that are in a daily list. */
    units: (regon: string) => listed.get(regon)!.filter(isUnit),
    /** The texts in the daily lists that are not REGON numbers. */
    odd,
  };
}

/**
 * Writes the lists of the dump, `new.txt`, `updated.txt` and `deleted.txt`, with one REGON9 per line. The lists omit
 * the numbers of local units, since an entity may stay open after one of its units closes.
 *
 * @param left the entities that the fetch had no time to request. The file `<date>.left.txt` next to the dump folder
 *   keeps the entities in `left` for the next fetch. In the dump, only `deleted.txt` may contain entities of `left`.
 */
export async function writeLists(
  { asked, units }: Entities,
  left: ReadonlySet<string>,
  { dump, work, inbox }: DumpFolder,
  date: string,
): Promise<void> {
  const taken = (await readdir(join(work, 'lists'))).filter((file) => file.endsWith(leftEnd));
  for (const file of ['new.txt', 'updated.txt', 'deleted.txt']) {
    const files = file === 'updated.txt' ? [file, ...taken] : [file];
    const isKept = (regon: string) => file === 'deleted.txt' || !left.has(regon);
    const numbers = await Promise.all(files.map((name) => readLines(join(work, 'lists', name))));
    const listed = new Set(numbers.flat().map(toRegon9));
    const regons = asked.filter((regon) => listed.has(regon) && isKept(regon));
    await writeLines(join(dump, file), regons);
  }
  if (left.size === 0) return;
  const rest = [...left].flatMap((regon) => [regon, ...units(regon)]);
  await writeLines(join(inbox, `${date}${leftEnd}`), rest);
}

/** Checks whether a REGON is a local unit's: it has fourteen digits and does not end in five zeros. */
function isUnit(number: string): boolean {
  return /^\d{14}$/.test(number) && !number.endsWith('00000');
}

function toRegon9(number: string): string {
  return /^\d{14}$/.test(number) ? number.slice(0, 9) : number;
}
