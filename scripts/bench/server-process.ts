import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A server of its own process, such as a client finds it. */
export interface ServerProcess {
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts a script that prints where it listens; its log is written and read by nobody.
 *
 * @param script relative to this folder
 */
export async function startServer(
  script: string,
  variables: Record<string, string>,
): Promise<ServerProcess> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [path], {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  const line = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const [said] = (await Promise.race([line, ended])) as [unknown];
  const url = /^Listening on (\S+)$/.exec(String(said))?.[1];
  if (!url) throw new Error(`${script} did not start: ${String(said)}`);
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
