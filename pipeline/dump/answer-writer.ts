import type { Pool, PoolClient } from 'pg';
import { CopyIn } from './copy-in.ts';
import type { DumpFile } from './files.ts';
import { Refusal } from '../errors.ts';
import type { Answer } from '../sources/source.ts';

/** Rejects that are gathered before they are sent. */
const REJECT_BATCH = 1000;
/** Characters of an answer that are kept as it was written. */
const RAW_LENGTH = 4000;
/** A file with more unreadable answers is none of a dump; their rejects cannot fill the disk. */
const UNREADABLE_ANSWERS = 100_000;
/** Objects within objects; no registry comes near, and PostgreSQL refuses thousands. */
const DEEPEST_ANSWER = 100;

interface RejectedAnswer {
  file_no: number;
  line: number;
  reason: string;
  raw: string;
}

/** Sends answers to `stage.answer`, through one COPY, and those that cannot be read to `stage.reject`. */
export class AnswerWriter {
  readonly #pool: Pool;
  readonly #stage: string;
  readonly #copy: CopyIn;
  #rejects: RejectedAnswer[] = [];
  readonly #unreadable_counts = new Map<number, number>();

  /**
   * @param client its session is busy with the COPY until `end` or `abort`
   * @param stage the schema of the tables of the night
   */
  constructor(client: PoolClient, pool: Pool, stage: string) {
    this.#pool = pool;
    this.#stage = stage;
    this.#copy = new CopyIn(
      client,
      `copy ${stage}.answer (file_no, line, answer, raw) from stdin (encoding utf8)`,
    );
  }

  /** Throws a `Refusal` when the file has more unreadable answers than a dump can have. */
  async write(file: DumpFile, answer: Answer): Promise<void> {
    const reason = 'reason' in answer ? answer.reason : findFault(answer.answer);
    if (reason !== undefined) await this.#reject(file, answer, reason);
    else if ('answer' in answer) {
      const fields = [JSON.stringify(answer.answer), shorten(answer.raw)].map(escape).join('\t');
      await this.#copy.write(`${file.file_no}\t${answer.line}\t${fields}\n`);
    }
  }

  async end(): Promise<void> {
    await this.#copy.end();
    await this.#sendRejects();
  }

  /** Ends the COPY; what it sent is rolled back. */
  abort(error: Error): void {
    this.#copy.abort(error);
  }

  async #reject(file: DumpFile, { line, raw }: Answer, reason: string): Promise<void> {
    const count = (this.#unreadable_counts.get(file.file_no) ?? 0) + 1;
    this.#unreadable_counts.set(file.file_no, count);
    if (count > UNREADABLE_ANSWERS) {
      throw new Refusal(
        `${file.file}: more than ${UNREADABLE_ANSWERS} answers of it cannot be read; ` +
          `of the last one, in line ${line}: ${reason}`,
      );
    }
    this.#rejects.push({
      file_no: file.file_no,
      line,
      reason: shorten(reason),
      raw: shorten(raw),
    });
    if (this.#rejects.length >= REJECT_BATCH) await this.#sendRejects();
  }

  async #sendRejects(): Promise<void> {
    const rejects = this.#rejects;
    this.#rejects = [];
    if (rejects.length === 0) return;
    await this.#pool.query(
      `insert into ${this.#stage}.reject (file_no, line, reason, raw)
       select file_no, line, reason, raw
       from jsonb_populate_recordset(null::${this.#stage}.reject, $1)`,
      [JSON.stringify(rejects)],
    );
  }
}

/** Why PostgreSQL would not take a value as jsonb; undefined when it does. */
export function findFault(value: unknown, depth = 1): string | undefined {
  if (typeof value === 'string') {
    if (value.includes('\0')) return 'a NUL character';
    return value.isWellFormed() ? undefined : 'half a character of UTF-16';
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > DEEPEST_ANSWER) return `objects nested more than ${DEEPEST_ANSWER} deep`;
  for (const [key, member] of Object.entries(value)) {
    const fault = findFault(key) ?? findFault(member, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function shorten(text: string): string {
  return text.slice(0, RAW_LENGTH).toWellFormed().replaceAll('\0', '␀');
}

/** A field of COPY in its text format. */
function escape(text: string): string {
  return text.replace(/[\\\n\r\t]/g, (character) => escapes[character]!);
}

const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
