import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** A server answers the requests that it has begun, and gives up by itself after 20 seconds. */
const grace_ms = 25_000;

/** A server in a process of its own, such as the API, which prints where it listens. */
export class ServerProcess {
  readonly #script: string;
  readonly #variables: NodeJS.ProcessEnv;
  readonly #log: 'inherit' | 'ignore';
  #child: ChildProcessByStdio<null, Readable, null> | undefined;
  #end: Promise<number | NodeJS.Signals> | undefined;

  /**
   * @param script relative to this folder
   * @param variables its environment
   * @param log whether its log goes to the stderr of this process
   */
  constructor(script: string, variables: NodeJS.ProcessEnv, log: 'inherit' | 'ignore') {
    this.#script = fileURLToPath(new URL(script, import.meta.url));
    this.#variables = variables;
    this.#log = log;
  }

  /** @returns where it listens; undefined when it ended instead and has said why */
  async start(): Promise<string | undefined> {
    this.#child = spawn(process.execPath, [this.#script], {
      env: this.#variables,
      stdio: ['ignore', 'pipe', this.#log],
    });
    const end = once(this.#child, 'exit') as Promise<[number | null, NodeJS.Signals]>;
    this.#end = end.then(([code, signal]) => code ?? signal);
    const line = once(createInterface(this.#child.stdout), 'line') as Promise<[string]>;
    const said = await Promise.race([line.then(([text]) => text), this.#end]);
    if (typeof said === 'number') return undefined;
    return /^Listening on (\S+)$/.exec(said)?.[1] ?? (await this.fail());
  }

  /** Throws when the process ends, which only a fault makes it do. */
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
