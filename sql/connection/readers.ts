import { setTimeout as delay } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import { Client, type Pool, type PoolClient } from 'pg';
import { type Db, openKysely } from './kysely.ts';
import { isDatabaseAway, isLostConnection } from './lost-connection.ts';
import { endSessions, openPool } from './pool.ts';

/** The pause between two health checks (`look`) of a server, in ms. */
const look_ms = 100;
/** The longest wait for the answer to a health check, in ms. */
const mostSilence_ms = 300;
/** After so many failed health checks in a row, a server gets no reads; one may fail because this machine is busy. */
const mostFailures = 2;

/** The state of a server at its last health check. */
export interface ServerState {
  name: string;
  is_up: boolean;
  /** The number of the newest snapshot on the server; -1 before the first health check. */
  snapshot_no: number;
  /** How many seconds ago the server last had all changes of the writer; null if unknown. */
  lag_seconds: number | null;
}

/** Routes each read of the registries to a server that has a new enough snapshot. */
export interface Readers {
  /**
   * Runs a read on a standby that has the snapshot `least_no` or a newer one; successive reads go to different
   * standbys. If no standby has it, the read runs on the writer. A read whose session is lost is retried on the next
   * server, and a cancelled read on the writer, so a read must have no side effects. A single statement sees one
   * snapshot; a read of several statements must open a transaction.
   *
   * @param least_no the number of the newest snapshot that the client has seen; by default the newest that the writer
   * had at its last health check, or that this process has read
   * @param own sessions on the writer; absent: any
   */
  read<T>(work: (db: Db) => Promise<T>, least_no?: number, own?: Db): Promise<T>;
  /** Gives access to the tables by `read`, which routes each statement separately; transactions are refused. */
  db: Db;
  /** Returns the writer's answer; undefined if the writer is unreachable, but throws if there is no standby. */
  askWriter<T>(ask: () => Promise<T>): Promise<T | undefined>;
  /**
   * Reads customers' data on the writer. For at most `mostAway_s` seconds without an answer of the writer, a standby
   * answers instead.
   *
   * @param own sessions on the writer; absent: any
   */
  readCustomer<T>(work: (db: Db) => Promise<T>, own?: Db): Promise<T>;
  /** Returns the pool of a standby for a long read; undefined if no standby has a small enough lag. */
  chooseReader(): Pool | undefined;
  states(): ServerState[];
  close(): Promise<void>;
}

/** Checks whether a standby has cancelled a read because the writer had removed rows that the read needed. */
export const isCancelled = (error: unknown) => (error as { code?: unknown }).code === '40001';

/** Returns the newest snapshot of a server, and the lag of the server in seconds (null if unknown). */
async function askHowFar(client: Pick<PoolClient, 'query'>) {
  const { rows } = await client.query<{ snapshot_no: number; lag_seconds: number | null }>(
    `select
       last_id::float8 as snapshot_no,
       case
         when not pg_is_in_recovery() then 0
         -- A standby that receives nothing may be hours behind, although it has replayed all that it has.
         when exists (select from pg_stat_wal_receiver)
           and pg_last_wal_receive_lsn() <= pg_last_wal_replay_lsn() then 0
         else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())
       end::float8 as lag_seconds
     from registry.last_id
     where table_name = 'snapshot'`,
  );
  return rows[0] ?? { snapshot_no: -1, lag_seconds: null };
}

/** Watches the health of one server, and stores the newest snapshot that each session on the server has seen. */
function watchServer(pool: Pool, isReader: boolean) {
  const { host, port } = new Client(pool.options);
  const state: ServerState = {
    name: `${host}:${port}`,
    is_up: false,
    snapshot_no: -1,
    lag_seconds: null,
  };
  // Health checks have their own session, because all other sessions may be busy.
  const patience = { connectionTimeoutMillis: mostSilence_ms, query_timeout: mostSilence_ms };
  const looking = openPool({ ...pool.options, ...patience, max: 1 });
  let down = Promise.withResolvers<undefined>();
  // The start of the checks counts as the server's first answer, because the first checks may fail on a busy machine.
  let seen_at = performance.now();
  let failures = 0;
  // The time up to which the server has all changes that the writer made.
  let fresh_at = -Infinity;
  // The snapshot number is stored for each session, because a load balancer may connect sessions to different servers.
  const sessions = new WeakMap<PoolClient, { db: Db; snapshot_no: number }>();

  return {
    state,
    pool,
    whenDown: () => down.promise,
    away_ms: () => performance.now() - seen_at,
    stopLooking: () => looking.end(),
    /**
     * Checks the health of the server, and updates its state. The sessions of a silent standby are closed, so that
     * their reads are retried on another server.
     */
    async look(): Promise<void> {
      try {
        const { snapshot_no, lag_seconds } = await askHowFar(looking);
        seen_at = performance.now();
        failures = 0;
        fresh_at = Math.max(fresh_at, seen_at - (lag_seconds ?? Infinity) * 1000);
        const behind_s = fresh_at === -Infinity ? null : (seen_at - fresh_at) / 1000;
        Object.assign(state, { snapshot_no, lag_seconds: behind_s, is_up: true });
      } catch {
        failures += 1;
        if (failures < mostFailures) return;
        if (state.is_up && isReader) endSessions(pool);
        Object.assign(state, { is_up: false, lag_seconds: null });
        down.resolve(undefined);
        down = Promise.withResolvers<undefined>();
      }
    },
    /** Returns the answer of a session and its snapshot number; undefined if its snapshot is older than `least_no`. */
    async read<T>(work: (db: Db) => Promise<T>, least_no: number) {
      const client = await pool.connect();
      try {
        const session = sessions.get(client) ?? {
          db: openBy(client.query.bind(client)),
          snapshot_no: -1,
        };
        sessions.set(client, session);
        if (session.snapshot_no < least_no) Object.assign(session, await askHowFar(client));
        const { db, snapshot_no } = session;
        const found = snapshot_no < least_no ? undefined : { answer: await work(db), snapshot_no };
        client.release();
        return found;
      } catch (error) {
        client.release(isLostConnection(error));
        throw error;
      }
    },
  };
}

/** Returns a Kysely instance that runs its statements by `query`, such as the `query` of a session. */
function openBy(query: (text: string, values: unknown[]) => Promise<unknown>): Db {
  const client = { query, release: () => undefined };
  return openKysely({ connect: () => Promise.resolve(client) } as unknown as Pool);
}

/** Returns access to the tables by `read`, which routes each statement separately. */
function openRouted(read: Readers['read']): Db {
  return openBy((text, values) => {
    if (/^(begin|start transaction)/.test(text))
      throw new Error('A routed statement has no transaction');
    return read((db) => db.executeQuery(CompiledQuery.raw(text, values)));
  });
}

/** Returns readers that send every read to the writer, for an installation without standbys. */
export function onlyWriter(db: Db): Readers {
  return {
    read: (work, _, own = db) => work(own),
    db,
    askWriter: (ask) => ask(),
    readCustomer: (work, own = db) => work(own),
    chooseReader: () => undefined,
    states: () => [],
    close: () => Promise.resolve(),
  };
}

/**
 * Opens the readers, and checks the health of the writer and each standby ten times a second.
 *
 * @param mostLag_s the largest lag of a standby that still answers reads, in seconds
 * @param mostAway_s how long after the writer's last answer a standby answers reads of customers' data, in seconds
 */
export async function openReaders(
  writerPool: Pool,
  pools: readonly Pool[],
  mostLag_s: number,
  mostAway_s: number,
): Promise<Readers> {
  const db = openKysely(writerPool);
  const main = watchServer(writerPool, false);
  const readers = pools.map((pool) => watchServer(pool, true));
  const ended = new AbortController();
  /** The newest snapshot that this process has read; no later read returns an older snapshot. */
  let served_no = 0;
  let turn = 0;

  async function keepLooking(server: (typeof readers)[number]): Promise<void> {
    while (!ended.signal.aborted) {
      await delay(look_ms, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
      await server.look();
    }
  }
  await Promise.all([main, ...readers].map((server) => server.look()));
  const looking = [main, ...readers].map(keepLooking);

  /**
   * Returns the standbys that may answer a read; each call begins with the next standby.
   *
   * @param newest_no the newest snapshot that a client may see: a standby may already have a newer one, whose commit
   * still waits for the synchronous standby
   */
  function inTurn(newest_no = Infinity) {
    turn += 1;
    // While the writer is unreachable, lags grow although no newer data exists, so the limit of the lag grows too.
    const bound_s = mostLag_s + main.away_ms() / 1000;
    return readers
      .map((_, at) => readers[(at + turn) % readers.length]!)
      .filter(({ state: { is_up, lag_seconds, snapshot_no } }) => {
        return is_up && (lag_seconds ?? Infinity) <= bound_s && snapshot_no <= newest_no;
      });
  }

  const read: Readers['read'] = async (work, asked_no = 0, own = db) => {
    // A read needs the newest snapshot of the writer, so that all processes show a new snapshot at once. While the
    // writer is unreachable, the newest snapshot of any standby is needed.
    const known = main.state.is_up ? [main] : readers.filter(({ state }) => state.is_up);
    const least_no = Math.max(asked_no, served_no, ...known.map(({ state }) => state.snapshot_no));
    for (const server of inTurn(least_no)) {
      try {
        const found = await server.read(work, least_no);
        if (!found) continue;
        served_no = Math.max(served_no, found.snapshot_no);
        return found.answer;
      } catch (error) {
        if (isCancelled(error)) break;
        if (!isLostConnection(error)) throw error;
        server.state.is_up = false;
      }
    }
    served_no = Math.max(served_no, main.state.snapshot_no);
    return work(own);
  };

  const askWriter: Readers['askWriter'] = async (ask) => {
    try {
      return main.state.is_up ? await Promise.race([ask(), main.whenDown()]) : undefined;
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      return undefined;
    }
  };

  return {
    read,
    db: openRouted(read),
    askWriter,
    async readCustomer(work, own = db) {
      const found = await askWriter(async () => ({ answer: await work(own) }));
      if (found) return found.answer;
      return main.away_ms() < mostAway_s * 1000 ? read(work) : work(own);
    },
    chooseReader: () => inTurn()[0]?.pool,
    states: () => readers.map(({ state }) => ({ ...state })),
    async close() {
      ended.abort();
      await Promise.all(looking);
      await Promise.all([main, ...readers].map((server) => server.stopLooking()));
      await Promise.all(readers.map(({ pool }) => pool.end()));
    },
  };
}
