import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The time in ms after SIGTERM at which an API that has not ended is killed. The API normally ends within 20 s. */
const grace_ms = 25_000;

export type ServerProcess = ReturnType<typeof startServer>;

/** Starts the API in a separate process, which prints the address on which the API listens. */
export function startServer(variables: NodeJS.ProcessEnv) {
  const path = fileURLToPath(new URL('../api/main.ts', import.meta.url));
  const child = spawn(process.execPath, [path], {
    env: variables,
    // The API ends when its IPC channel closes, and the channel closes even if the parent process is killed.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals]>;
  const ended = exit.then(([code, signal]) => code ?? signal);
  const line = once(createInterface(child.stdout!), 'line') as Promise<[string]>;
  const said = Promise.race([line.then(([text]) => text), ended]);

  /** Throws when the API's process ends by itself; the API ends by itself only after a fault. */
  async function fail(): Promise<never> {
    const end = await ended;
    const how = typeof end === 'number' ? `with code ${end}` : `by ${end}`;
    throw new Error(`The API was ended ${how}; everything else is stopped`);
  }

  return {
    /** Returns the address on which the API listens; undefined if the API ended and logged the reason. */
    async listens(): Promise<string | undefined> {
      const text = await said;
      if (typeof text === 'number') return undefined;
      return /^Listening on (\S+)$/.exec(text)?.[1] ?? (await fail());
    },
    fail,
    /** Stops the API, and waits until its process has ended. */
    async stop(): Promise<void> {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), grace_ms);
      await ended;
      clearTimeout(timer);
    },
  };
}
