import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../api/main.ts', import.meta.url));
/** The API answers what it has begun, and gives up by itself after 20 seconds. */
const grace_ms = 25_000;

/** The API, a process of its own: the two sides meet only in the database. */
export class ApiProcess {
  #child: ChildProcessByStdio<null, Readable, null> | undefined;
  readonly #variables: NodeJS.ProcessEnv;
  #end: Promise<number | NodeJS.Signals> | undefined;

  /** @param variables its environment */
  constructor(variables: NodeJS.ProcessEnv) {
    this.#variables = variables;
  }

  /** @returns where it listens; undefined when it ended instead and has said why */
  async start(): Promise<string | undefined> {
    this.#child = spawn(process.execPath, [main], {
      env: this.#variables,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const end = once(this.#child, 'exit') as Promise<[number | null, NodeJS.Signals]>;
    this.#end = end.then(([code, signal]) => code ?? signal);
    const line = once(createInterface(this.#child.stdout), 'line') as Promise<[string]>;
    const said = await Promise.race([line.then(([text]) => text), this.#end]);
    if (typeof said === 'number') return undefined;
    return /^Listening on (\S+)$/.exec(said)?.[1] ?? (await this.fail());
  }

  /** Throws when it has ended, which nobody asked for. */
  async fail(): Promise<never> {
    const end = await this.#end;
    const how = typeof end === 'number' ? `with code ${end}` : `by ${end}`;
    throw new Error(`The API was ended ${how}; everything else is stopped`);
  }

  /** Ends it, and waits until it is gone. */
  async stop(): Promise<void> {
    const child = this.#child;
    child?.kill('SIGTERM');
    const timer = setTimeout(() => child?.kill('SIGKILL'), grace_ms);
    await this.#end;
    clearTimeout(timer);
  }
}
