import { Refusal } from '../errors.ts';
import { reads } from '../figures/dump-reading-limits.ts';
import { figure } from '../written-figure.ts';
import { shorten, type UnreadableRow } from '../sources/rejects.ts';
import type { DumpFile } from './files.ts';
import type { Span } from './line-memory.ts';

/** Collects the unreadable rows of a file until `take` returns the rows. Throws a `Refusal` for too many rows. */
export class RejectList {
  readonly #file: Pick<DumpFile, 'file' | 'file_no'>;
  #rows: UnreadableRow[] = [];
  #count = 0;
  #first: string | undefined;
  #in_a_row = 0;
  #firstInARow = '';

  constructor(file: Pick<DumpFile, 'file' | 'file_no'>) {
    this.#file = file;
  }

  get length(): number {
    return this.#rows.length;
  }

  /** Reports a readable row, which ends a series of consecutive unreadable rows. */
  pass(): void {
    this.#in_a_row = 0;
  }

  add({ data, start, end, line }: Span, reason: string): void {
    const { file, file_no } = this.#file;
    const found = `line ${line}: ${reason}`;
    this.#first ??= found;
    if (++this.#in_a_row === 1) this.#firstInARow = found;
    if (this.#in_a_row > reads.unreadableInARow) {
      throw new Refusal(
        `${file}, ${this.#firstInARow}; ` +
          `the ${figure(reads.unreadableInARow)} rows after it cannot be read either`,
      );
    }
    if (++this.#count > reads.unreadableRows) {
      throw new Refusal(
        `${file}, ${this.#first}; more than ${figure(reads.unreadableRows)} rows of it cannot be read`,
      );
    }
    const raw = shorten(data.subarray(start, end));
    this.#rows.push({ file_no, line, reject_code: 'damaged_row', reason, raw });
  }

  take(): UnreadableRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}
