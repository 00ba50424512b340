import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Argument, Command } from 'commander';
import { benchAbuse } from './bench/abuse.ts';
import { days, inDatabase, makeCountry } from './bench/country.ts';
import { benchFeed } from './bench/feed.ts';
import { print } from './bench/judge.ts';
import { measureNights, timeNight } from './bench/night.ts';
import { benchSirene } from './bench/sirene.ts';
import { benchMemory } from './bench/memory.ts';
import { benchSearch } from './bench/search.ts';
import { runBenchmarks, type Setting } from './bench/setting.ts';
import { benchLookup, benchSnapshot } from './bench/snapshots-and-lookups.ts';
import { benchVerify } from './bench/verify.ts';
import { benchWebhooks } from './bench/webhooks.ts';
import { wholeNumber } from '../fixtures/generator/whole-number.ts';

/** The benchmarks of the API, by the name that the command line gives. `all` also measures a second night. */
const parts: Record<string, ((setting: Setting) => Promise<void>)[]> = {
  // The benchmarks of feeds, webhooks and abuse run last, because they add companies and events to the country.
  all: [
    benchVerify,
    benchSearch,
    benchSnapshot,
    benchLookup,
    benchMemory,
    benchFeed,
    benchWebhooks,
    benchAbuse,
  ],
  abuse: [benchAbuse],
  memory: [benchMemory],
  webhooks: [benchWebhooks],
};

const program = new Command('bench')
  .description('Measures nights, and the API against the country of a night')
  .addArgument(
    new Argument(
      '[part]',
      'all; what one client can do to others; memory; nights of SIRENE; webhooks',
    ).choices([...Object.keys(parts), 'sirene']),
  )
  .option('--entries <number>', 'size of the country', wholeNumber(1, 20_000_000), 1_000_000)
  .option('--folder <path>', 'where generated countries are kept', join(tmpdir(), 'registry-bench'))
  .parse();

async function bench(part: string, { entries, folder }: { entries: number; folder: string }) {
  await mkdir(folder, { recursive: true });
  if (part === 'sirene') {
    await benchSirene(folder, entries);
    return;
  }
  print(`A country of ${entries.toLocaleString('en')} entries in 17 zips`);
  const country = await makeCountry(folder, entries);
  await inDatabase(folder, async (db, dataDir) => {
    if (part === 'all') await measureNights(db, dataDir, country, entries);
    else await timeNight(dataDir, join(country, days[0]), days[0]);
    print('\nThe API');
    await runBenchmarks(db, dataDir, parts[part]!);
  });
}

await bench(program.args[0] ?? 'all', program.opts());
