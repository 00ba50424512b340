/** A body that is CSV, not JSON. */
export class CsvText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
