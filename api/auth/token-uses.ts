import { runPrepared } from '../../sql/connection/prepared.ts';
import type { Db } from '../../sql/connection/kysely.ts';
import type { Uses } from '../http/context.ts';
import { isLostConnection } from '../../sql/connection/lost-connection.ts';
import { batches, memory } from '../figures/resources.ts';

/** The uses of one token (requests that were sent with it) that are not yet written to the database. */
interface Use {
  use_count: number;
  /** The time of the last request that used the token. */
  used_at: Date;
  ip: string | null;
}

/**
 * Returns an object that counts the requests of each token. `count_token_uses.sql` stores counts and last uses.
 * The count of a token is written later if the token is locked in the database, or if the database is not available.
 */
export function createUses(gate: Db, pause_ms = batches.uses_ms): Uses {
  let waiting = new Map<string, Use>();
  let writing = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  function add(hash: string, use: Use): void {
    const before = waiting.get(hash);
    if (!before && waiting.size >= memory.uses) return;
    const isLater = !before || before.used_at <= use.used_at;
    const use_count = (before?.use_count ?? 0) + use.use_count;
    waiting.set(hash, { ...(isLater ? use : before), use_count });
    timer ??= setTimeout(() => void flush(), pause_ms).unref();
  }

  async function write(): Promise<void> {
    if (waiting.size === 0) return;
    const batch = waiting;
    waiting = new Map();
    let uncounted = [...batch.keys()];
    try {
      await gate.connection().execute(async (session) => {
        const asked = [...batch].map(([hash, use]) => ({ hash, ...use }));
        const values = [JSON.stringify(asked)];
        const locked = runPrepared<{ hash: string }>(session, 'api/count_token_uses.sql', values);
        // If the connection is lost after the statement is sent, the counts are dropped: they may be stored already.
        uncounted = [];
        uncounted = (await locked).map(({ hash }) => hash);
      });
    } catch (error) {
      if (!isLostConnection(error)) uncounted = [...batch.keys()];
    }
    for (const hash of uncounted) add(hash, batch.get(hash)!);
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  }

  return { count: (hash, used_at, ip) => add(hash, { use_count: 1, used_at, ip }), flush };
}
