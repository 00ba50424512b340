import { type FileHandle, open, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { joinLines } from './folder.ts';

/**
 * A file of lines that grows answer by answer, and beside it a note of which answers are in it, so
 * that after a kill -9 nothing is asked twice and no half answer stays.
 */
export class Journal {
  readonly #data: FileHandle;
  readonly #notes: FileHandle;
  readonly #outcomes: Map<string, string>;
  #end_bytes: number;
  #last: Promise<void> = Promise.resolve();

  private constructor(
    data: FileHandle,
    notes: FileHandle,
    outcomes: Map<string, string>,
    end_bytes: number,
  ) {
    this.#data = data;
    this.#notes = notes;
    this.#outcomes = outcomes;
    this.#end_bytes = end_bytes;
  }

  /** @param path of the file of lines; the note lies in `workFolder` */
  static async open(path: string, workFolder: string): Promise<Journal> {
    const data = await open(path, 'a+');
    const notesPath = join(workFolder, 'journal.txt');
    const notes = await open(notesPath, 'a');
    const { outcomes, note_bytes, data_bytes } = await readNotes(notesPath, data);
    await truncate(notesPath, note_bytes);
    await truncate(path, data_bytes);
    return new Journal(data, notes, outcomes, data_bytes);
  }

  /** How the answer for each key has turned out, by key. */
  get outcomes(): ReadonlyMap<string, string> {
    return this.#outcomes;
  }

  /** Writes an answer of any number of lines, one after another however many ask at once. */
  append(key: string, outcome: string, lines: readonly string[]): Promise<void> {
    const write = async () => {
      const bytes = Buffer.from(joinLines(lines));
      await this.#data.appendFile(bytes);
      this.#end_bytes += bytes.length;
      await this.#notes.appendFile(`${this.#end_bytes} ${outcome} ${key}\n`);
      this.#outcomes.set(key, outcome);
    };
    this.#last = this.#last.then(write);
    return this.#last;
  }

  async close(): Promise<void> {
    await this.#last.catch(() => undefined);
    await this.#data.close();
    await this.#notes.close();
  }
}

interface Notes {
  outcomes: Map<string, string>;
  /** What of the note and of the data is whole. */
  note_bytes: number;
  data_bytes: number;
}

async function readNotes(path: string, data: FileHandle): Promise<Notes> {
  const text = await readFile(path, 'latin1');
  const note_bytes = text.lastIndexOf('\n') + 1;
  const outcomes = new Map<string, string>();
  let data_bytes = 0;
  for (const line of text.slice(0, note_bytes).split('\n').slice(0, -1)) {
    const [, end, outcome, key] = /^(\d+) (\S+) (\S+)$/.exec(line) ?? [];
    if (end === undefined || outcome === undefined || key === undefined) return nothing();
    outcomes.set(key, outcome);
    data_bytes = Number(end);
  }
  // After a power cut the note may be there without what it speaks of.
  return (await endsLine(data, data_bytes)) ? { outcomes, note_bytes, data_bytes } : nothing();
}

async function endsLine(data: FileHandle, end_bytes: number): Promise<boolean> {
  if (end_bytes === 0) return true;
  const { buffer, bytesRead } = await data.read(Buffer.alloc(1), 0, 1, end_bytes - 1);
  return bytesRead === 1 && buffer[0] === 0x0a;
}

function nothing(): Notes {
  return { outcomes: new Map(), note_bytes: 0, data_bytes: 0 };
}
