import { createReadStream, createWriteStream } from 'node:fs';
import { open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** What was had for a number: how it turned out, and its lines of the dump. */
interface Entry {
  number: string;
  outcome: string;
  lines: readonly object[];
}

/** The answers of a day as they arrive, so that nothing is asked twice after the process was killed. */
export interface Journal {
  /** How each number has turned out. */
  outcomes: ReadonlyMap<string, string>;
  /** Adds an answer. Calls at the same time are written one after another. */
  append(number: string, outcome: string, lines: readonly object[]): Promise<void>;
  /** Writes the lines of all answers to a file. */
  writeDump(path: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens the journal of a folder, one entry a line. What follows the last whole entry is cut off. */
export async function openJournal(folder: string): Promise<Journal> {
  const path = join(folder, 'journal.ndjson');
  const file = await open(path, 'a');
  const outcomes = new Map<string, string>();
  let whole_bytes = 0;
  for await (const { entry, byte_count } of readEntries(path)) {
    outcomes.set(entry.number, entry.outcome);
    whole_bytes += byte_count;
  }
  await truncate(path, whole_bytes);
  let last: Promise<unknown> = Promise.resolve();
  return {
    outcomes,
    append(number, outcome, lines) {
      const entry: Entry = { number, outcome, lines };
      const write = async () => {
        await file.appendFile(`${JSON.stringify(entry)}\n`);
        outcomes.set(number, outcome);
      };
      const written = last.then(write);
      last = written.catch(() => undefined);
      return written;
    },
    async writeDump(dump) {
      await pipeline(async function* () {
        for await (const { entry } of readEntries(path)) {
          for (const line of entry.lines) yield `${JSON.stringify(line)}\n`;
        }
      }, createWriteStream(dump));
    },
    async close() {
      await last;
      await file.close();
    },
  };
}

/** The entries of a journal up to the first that is damaged, each with its size in the file. */
async function* readEntries(path: string): AsyncGenerator<{ entry: Entry; byte_count: number }> {
  let rest = '';
  for await (const text of createReadStream(path, 'utf8') as AsyncIterable<string>) {
    // Not by node:readline, which also ends a line at U+2028.
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const entry = parse(line);
      if (!entry) return;
      yield { entry, byte_count: Buffer.byteLength(line) + 1 };
    }
  }
}

/** Undefined for text that a power cut has left in the place of an entry. */
function parse(line: string): Entry | undefined {
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return undefined;
  }
}
