import { Refusal } from '../errors.ts';
import { figure } from '../figure.ts';
import { shorten, UNREADABLE_ROWS, type UnreadableRow } from '../sources/rejects.ts';
import type { DumpFile } from './files.ts';
import type { Span } from './record-splitter.ts';

/** At most this many consecutive unreadable rows. More mean an open quote, or a file without rows. */
const UNREADABLE_IN_A_ROW = 1000;

/** The unreadable rows of one file since the last `take`. Throws a `Refusal` for too many in all. */
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

  /** Call for a row that is readable. */
  pass(): void {
    this.#in_a_row = 0;
  }

  add({ data, start, end, line }: Span, reason: string): void {
    const { file, file_no } = this.#file;
    const found = `line ${line}: ${reason}`;
    this.#first ??= found;
    if (++this.#in_a_row === 1) this.#firstInARow = found;
    if (this.#in_a_row > UNREADABLE_IN_A_ROW) {
      throw new Refusal(
        `${file}, ${this.#firstInARow}; ` +
          `the ${figure(UNREADABLE_IN_A_ROW)} rows after it cannot be read either`,
      );
    }
    if (++this.#count > UNREADABLE_ROWS) {
      throw new Refusal(
        `${file}, ${this.#first}; more than ${figure(UNREADABLE_ROWS)} rows of it cannot be read`,
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
