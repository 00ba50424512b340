import { CopyLines } from '../copy-lines.ts';
import type { StagedRows } from '../stage-rows.ts';
import { RowReader } from './row-reader.ts';

/** Reads a side file, which lies beside the two joined files, into `stage.side_row`. */
export class SideRows extends RowReader implements StagedRows {
  readonly readers = [this];
  readonly table = 'side_row';
  readonly columns = ['file_no', 'line', 'file_key', 'fields'];
  readonly normaliser_count = 0;
  readonly lines = new CopyLines();

  override async *read(): AsyncGenerator<void> {
    for await (const _ of super.read()) {
      this.#write();
      yield;
    }
    this.#write();
  }

  #write(): void {
    const { file_no, file_key } = this.file;
    for (const row of this.takeRows()) {
      const fields = this.readFields(row);
      if (typeof fields === 'string') this.rejects.add(row, fields);
      else this.lines.addFields(`${file_no};${row.line};`, [file_key, JSON.stringify(fields)]);
    }
  }
}
