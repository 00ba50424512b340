import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A server answers the requests that it has begun, and gives up by itself after 20 seconds. */
const grace_ms = 25_000;

export type ServerProcess = ReturnType<typeof startServer>;

/**
 * Starts a server, such as the API, which prints where it listens, in a process of its own.
 *
 * @param script relative to this folder
 * @param log whether its log goes to the stderr of this process
 */
export function startServer(
  script: string,
  variables: NodeJS.ProcessEnv,
  log: 'inherit' | 'ignore',
) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [path], {
    env: variables,
    // The channel tells the server when this process is gone.
    stdio: ['ignore', 'pipe', log, 'ipc'],
  });
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals]>;
  const ended = exit.then(([code, signal]) => code ?? signal);
  const line = once(createInterface(child.stdout!), 'line') as Promise<[string]>;
  const said = Promise.race([line.then(([text]) => text), ended]);

  /** Throws when the process ends, which only a fault makes it do. */
  async function fail(): Promise<never> {
    const end = await ended;
    const how = typeof end === 'number' ? `with code ${end}` : `by ${end}`;
    throw new Error(`The API was ended ${how}; everything else is stopped`);
  }

  return {
    /** @returns where it listens; undefined when it ended instead and has said why */
    async listens(): Promise<string | undefined> {
      const text = await said;
      if (typeof text === 'number') return undefined;
      return /^Listening on (\S+)$/.exec(text)?.[1] ?? (await fail());
    },
    fail,
    /** Ends it, and waits until it is gone. */
    async stop(): Promise<void> {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), grace_ms);
      await ended;
      clearTimeout(timer);
    },
  };
}
