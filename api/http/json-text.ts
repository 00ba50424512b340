/** A body that is JSON text already. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** A body of `status`, `data` and `meta` whose data is JSON text already. */
export function writeSuccess(data: string, meta: object): JsonText {
  return new JsonText(`{"status":"success","data":${data},"meta":${JSON.stringify(meta)}}`);
}
