// Makes stocks and daily lists of an invented SIRENE: any size, seeded, month after month.
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { isDate } from '../pipeline/calendar.ts';
import { wholeNumber } from './generate-dump.ts';
import { expectEvents, type SireneOptions } from '../fixtures/sirene-country/country.ts';
import { writeDelta } from '../fixtures/sirene-country/delta.ts';
import { type StockFormat, stockFormats, writeStock } from '../fixtures/sirene-country/stock.ts';

interface Dump {
  kind: 'stock' | 'delta';
  date: string;
  changes: number;
}

/** Writes the dump of a step into a folder: a month's stock, or the answers of a day. */
export async function writeStep(
  options: SireneOptions,
  step: number,
  folder: string,
  format: StockFormat | 'delta' = 'zip',
) {
  await mkdir(folder, { recursive: true });
  return format === 'delta'
    ? await writeDelta(options, step, folder)
    : await writeStock(options, step, folder, format);
}

/** Reads `stock:<date>` or `delta:<date>`, with `:<share>` where it is not the usual one. */
function parseDump(text: string, earlier: Dump[] = []): Dump[] {
  const [kind, date = '', share] = text.split(':');
  const changes = share === undefined ? 0.02 : Number(share);
  if ((kind !== 'stock' && kind !== 'delta') || !isDate(date) || !(changes >= 0 && changes <= 1)) {
    throw new InvalidArgumentError('It is not stock:<date> or delta:<date>, with :<share> or not.');
  }
  if (earlier.length === 0 ? kind === 'delta' : date <= earlier.at(-1)!.date) {
    throw new InvalidArgumentError('The first dump is a stock, and each one is later.');
  }
  return [...earlier, { kind, date, changes }];
}

async function writeDumps(
  folder: string,
  { dump, format, ...rest }: Omit<SireneOptions, 'steps'> & { dump: Dump[]; format: StockFormat },
): Promise<void> {
  const options = { ...rest, steps: dump };
  for (const [step, { kind, date }] of dump.entries()) {
    const path = join(folder, date);
    const counts = await writeStep(options, step, path, kind === 'delta' ? kind : format);
    let events = 0;
    function* lines() {
      for (const event of expectEvents(options, step)) {
        events += 1;
        yield `${JSON.stringify(event)}\n`;
      }
    }
    await pipeline(Readable.from(lines()), createWriteStream(`${path}.expected.ndjson`));
    process.stdout.write(
      `${date}: ${counts.unit} units, ${counts.establishment} establishments, ${events} events\n`,
    );
  }
}

if (import.meta.main) {
  const command = new Command('generate-sirene')
    .description('Makes the dumps of an invented SIRENE, and what each night must tell.')
    .argument('<folder>', 'gets a folder and <date>.expected.ndjson a dump')
    .option('--units <number>', 'units of the first stock', wholeNumber(1, 40_000_000), 5000)
    .option('--seed <number>', 'number of the country', wholeNumber(0, Number.MAX_SAFE_INTEGER), 1)
    .requiredOption(
      '--dump <dump...>',
      'stock:<date> or delta:<date>, with the share of the units that change (0.02) as :<share>',
      parseDump,
    )
    .option('--naf2025-from <date>', 'the first stock in NAF 2025', '2027-01-05')
    .addOption(new Option('--format <format>', 'of stocks').choices(stockFormats).default('zip'))
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .action(writeDumps);
  try {
    await command.parseAsync();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
