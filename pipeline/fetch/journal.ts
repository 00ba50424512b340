import { appendFileSync, createReadStream, createWriteStream } from 'node:fs';
import { appendFile, mkdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The registry's answer about one number: the outcome, and the lines that the answer adds to the dump. */
interface Entry {
  number: string;
  outcome: string;
  lines: readonly object[];
}

/** The stored answers of a fetch, from which the next attempt continues if the fetch is killed. */
export type Journal = Awaited<ReturnType<typeof openJournal>>;

/** Opens the journal in a folder: a file with one answer per line. Removes damaged lines at its end. */
export async function openJournal(folder: string) {
  const path = join(folder, 'journal.ndjson');
  await mkdir(folder, { recursive: true });
  await appendFile(path, '');
  const outcomes = new Map<string, string>();
  let whole_bytes = 0;
  for await (const { entry, byte_count } of readEntries(path)) {
    outcomes.set(entry.number, entry.outcome);
    whole_bytes += byte_count;
  }
  await truncate(path, whole_bytes);
  return {
    outcomes: outcomes as ReadonlyMap<string, string>,
    /** Appends an answer to the journal, and returns after the answer is completely written. */
    append(number: string, outcome: string, lines: readonly object[]): void {
      const entry: Entry = { number, outcome, lines };
      appendFileSync(path, `${JSON.stringify(entry)}\n`);
      outcomes.set(number, outcome);
    },
    /** Calls `check` with each stored answer, and writes the lines of all stored answers to the file `dump`. */
    async writeDump(dump: string, check?: (number: string, lines: readonly object[]) => void) {
      await pipeline(
        async function* () {
          for await (const { entry } of readEntries(path)) {
            check?.(entry.number, entry.lines);
            for (const line of entry.lines) yield `${JSON.stringify(line)}\n`;
          }
        },
        createWriteStream(dump, { flush: true }),
      );
    },
  };
}

/** Yields the stored answers before the first damaged answer of a journal, each with its size in bytes. */
async function* readEntries(path: string): AsyncGenerator<{ entry: Entry; byte_count: number }> {
  let rest = '';
  for await (const text of createReadStream(path, 'utf8') as AsyncIterable<string>) {
    // Lines are split without node:readline, because node:readline also ends a line at the character U+2028.
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const entry = parse(line);
      if (!entry) return;
      yield { entry, byte_count: Buffer.byteLength(line) + 1 };
    }
  }
}

/** Returns the stored answer in a line of a journal, or undefined for a line that a power cut has damaged. */
function parse(line: string): Entry | undefined {
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return undefined;
  }
}
