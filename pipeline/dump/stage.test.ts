import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { fixtureFolder } from '../../fixtures/dump/night.ts';
import { learn } from '../../fixtures/dump/yesterday.ts';
import { connect } from '../../sql/connection/database.ts';
import { runSteps } from '../night/sessions.ts';
import { loadSource, type TableSource } from '../sources/source.ts';
import { readDump } from '../../fixtures/dump/in-stage.ts';
import { KnownFingerprints } from './known-fingerprints.ts';
import { stageDump } from './stage.ts';

const stage = 'stage_test';
const folder = fixtureFolder('2026-11-03');

const db = await createTestDatabase();
const source = (await loadSource('ceidg')) as TableSource;

/** Stages the dump of a day, without the records whose fingerprints are in `yesterday`. */
async function stageFolder(yesterday = new KnownFingerprints(), pool = db.pool) {
  const client = await db.pool.connect();
  let records = 0;
  const onProgress = (read: number) => void (records = read);
  try {
    await runSteps({ pool: db.pool, client, stage }, ['1_read/tables']);
    await client.query(
      `insert into ${stage}.night
       values (0, 'ceidg', 'full', false, '{}', 'PL', '2026-11-03', true, true, false, null, now())`,
    );
    const { files } = await readDump(source, folder);
    await stageDump({ pool, client, stage, source, files, onProgress }, yesterday);
    return records;
  } finally {
    client.release(true);
  }
}

async function query<Row>(text: string): Promise<Row[]> {
  return (await db.pool.query(text)).rows as Row[];
}

describe('stageDump', () => {
  test('skips the records of yesterday, and finds those that are missing', async () => {
    const read = await stageFolder();
    const all = await query<{ fingerprint: string }>(
      `select fingerprint from ${stage}.column_text`,
    );
    expect(all.length).toBeGreaterThan(70);
    const [known] = all;
    const yesterday = learn([BigInt(known!.fingerprint), 77n]);
    expect(await stageFolder(yesterday)).toBe(read);
    const [left] = await query<{ count: number }>(`select count(*)::int from ${stage}.column_text`);
    expect(left!.count).toBe(all.length - 1);
    expect(await query(`select fingerprint, entry_id from ${stage}.missing_entry`)).toEqual([
      { fingerprint: '77', entry_id: null },
    ]);
  });

  test('gives back the sessions that are ended as they are opened', async () => {
    const other = await connect({ DATABASE_URL: db.url, DATA_DIR: '', applicationName: 'stage' });
    other.pool.on('connect', (client) => {
      client.query('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
    });
    await expect(stageFolder(undefined, other.pool)).rejects.toThrow(/terminat/);
    // `close` waits for all sessions, so it would never end if the failed staging had not released its sessions.
    await other.close();
  });
});
