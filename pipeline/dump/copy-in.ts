import { finished } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

/**
 * A COPY into a table. When an error such as a lost connection ends the COPY early, the current call
 * throws it, or else the next call.
 */
export class CopyIn {
  readonly #copy: ReturnType<typeof copyFrom>;
  #failure: Error | undefined;
  #sent: Promise<void> = Promise.resolve();

  /**
   * @param client its session is busy until `end` or `abort`
   * @param statement `copy … from stdin …`
   */
  constructor(client: ClientBase, statement: string) {
    this.#copy = client.query(copyFrom(statement));
    this.#copy.on('error', (error: Error) => (this.#failure ??= error));
  }

  /** Sends data after the earlier writes. Resolves when more can be sent. */
  write(data: Uint8Array | string): Promise<void> {
    this.#sent = this.#sent.then(() => this.#send(data));
    return this.#sent;
  }

  // Writes one piece at a time: the stream would send a backlog to a lost connection.
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

  async end(): Promise<void> {
    await this.#sent;
    if (this.#failure) throw this.#failure;
    this.#copy.end();
    await finished(this.#copy);
  }

  /** Ends the COPY, which rolls back what it sent. */
  abort(error: Error): void {
    if (!this.#failure) this.#copy.destroy(error);
  }
}
