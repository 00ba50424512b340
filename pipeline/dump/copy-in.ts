import { finished } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

/**
 * A COPY from here to a table. Whatever ends it early, the loss of the connection included, is thrown
 * by what is under way, or else by the next call.
 */
export class CopyIn {
  readonly #copy: ReturnType<typeof copyFrom>;
  #failure: Error | undefined;
  /** What was written last; it resolves when there is room again. */
  #sent: Promise<void> = Promise.resolve();

  /**
   * @param client its session is busy until `end` or `abort`
   * @param statement `copy … from stdin …`
   */
  constructor(client: ClientBase, statement: string) {
    this.#copy = client.query(copyFrom(statement));
    this.#copy.on('error', (error: Error) => (this.#failure ??= error));
  }

  /** Sends more, after all that was written before; resolves when there is room again. */
  write(data: Uint8Array | string): Promise<void> {
    this.#sent = this.#sent.then(() => this.#send(data));
    return this.#sent;
  }

  // One at a time: what the stream itself keeps waiting, it would send to a connection that is gone.
  #send(data: Uint8Array | string): Promise<void> {
    if (this.#failure) throw this.#failure;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#copy.once('error', reject);
    this.#copy.write(data, (error) => {
      this.#copy.off('error', reject);
      if (error) reject(error);
      else resolve();
    });
    return promise;
  }

  /** Resolves when the rows are in the table. */
  async end(): Promise<void> {
    await this.#sent;
    if (this.#failure) throw this.#failure;
    this.#copy.end();
    await finished(this.#copy);
  }

  /** Ends it; what it sent is rolled back. */
  abort(error: Error): void {
    if (!this.#failure) this.#copy.destroy(error);
  }
}
