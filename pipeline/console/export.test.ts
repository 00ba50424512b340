import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { runCommand, startCommand } from '../../fixtures/process/cli.ts';
import { createFirstDay, runFixture } from '../../fixtures/dump/night.ts';
import { readCursor } from '../../sql/feed-cursor.ts';

const folder = await mkdtemp(join(tmpdir(), 'registry-export-'));
const db = await createFirstDay();
await runFixture(db, '2026-11-03');

const run = (...args: string[]) => runCommand(['export', ...args], { DATABASE_URL: db.url });

async function exportParquet(relation: string) {
  const output = join(folder, `${relation}.parquet`);
  const { code, stdout } = await run(relation, '--format', 'parquet', '--output', output, '--json');
  expect(code).toBe(0);
  const { buffer } = new Uint8Array(await readFile(output));
  return { said: JSON.parse(stdout) as Record<string, unknown>, file: buffer, output };
}

describe('registry export', () => {
  test('writes a view as CSV to stdout and says where the feed goes on', async () => {
    const { code, stdout, stderr } = await run('event', '--format', 'csv');
    expect(code).toBe(0);
    const { rows } = await db.pool.query<{ event_id: string; new_value: string | null }>(
      'select event_id, new_value from analyst.event order by event_id',
    );
    const written: Record<string, string>[] = parse(stdout, { columns: true });
    expect(Object.keys(written[0]!).slice(0, 3)).toEqual(['event_id', 'event_date', 'source']);
    const byId = written.toSorted((a, b) => Number(a.event_id) - Number(b.event_id));
    expect(byId.map(({ event_id, new_value }) => [event_id, new_value])).toEqual(
      rows.map(({ event_id, new_value }) => [event_id, new_value ?? '']),
    );
    const [, count, cursor = ''] =
      /^(\d+) rows of analyst\.event; .* scope=all&after=(\S+)$/m.exec(stderr) ?? [];
    expect(count).toBe(String(rows.length));
    expect(readCursor(cursor)).toEqual({ scope: 'all', event_id: rows.at(-1)!.event_id });
  });

  test('writes no formula into CSV, and a file for its owner alone', async () => {
    await db.pool.query(`
      create view analyst.cell as
      select * from unnest(array[
        '=1+1', '@SUM(A1)', '+cmd|x!A1', E'-\n2+cmd', E'\t=1', '+48 42 123 45 67', '-5', 'a=1', null
      ]) as text
    `);
    const output = join(folder, 'cell.csv');
    expect((await run('cell', '--format', 'csv', '--output', output)).code).toBe(0);
    const rows: string[][] = parse(await readFile(output, 'utf8'), { fromLine: 2 });
    const masked = ["'=1+1", "'@SUM(A1)", "'+cmd|x!A1", "'-\n2+cmd", "'\t=1"];
    expect(rows.flat()).toEqual([...masked, '+48 42 123 45 67', '-5', 'a=1', '']);
    expect((await stat(output)).mode & 0o777).toBe(0o600);
  });

  test('ends in silence when the reader of its output has read enough', async () => {
    const started = startCommand(['export', 'entry', '--format', 'csv'], { DATABASE_URL: db.url });
    started.child.stdout!.destroy();
    expect(await started.end).toBe(141);
    expect(started.stderr).toBe('');
  });

  test('writes a view as Parquet with the types of its columns', async () => {
    const { said, file, output } = await exportParquet('entry');
    const { rows } = await db.pool.query<Record<string, unknown>>(
      'select * from analyst.entry order by entry_id',
    );
    expect(said).toEqual({
      relation: 'analyst.entry',
      rows: rows.length,
      cursor: expect.any(String) as string,
      output,
    });
    const written = await parquetReadObjects({ file });
    const first = written.toSorted((a, b) => Number(a.entry_id) - Number(b.entry_id))[0]!;
    const { entry_id, name, start_date, end_date, activity_version, activity_codes } = rows[0]!;
    expect(first).toMatchObject({
      entry_id: BigInt(entry_id as string),
      name,
      start_date: new Date(`${start_date as string}T00:00:00Z`),
      end_date,
      activity_version,
      activity_codes: `{${(activity_codes as string[]).join(',')}}`,
    });
    expect(written.length).toBe(rows.length);
  });

  test('keeps moments with their zone, truth values and days beyond all days in Parquet', async () => {
    const run_file = await exportParquet('run');
    const [written] = await parquetReadObjects({ file: run_file.file });
    const { rows } = await db.pool.query<{ started_at: Date; is_baseline: boolean }>(
      'select started_at, is_baseline from analyst.run where run_id = $1',
      [written!.run_id],
    );
    expect(written).toMatchObject(rows[0]!);
    const { schema } = parquetMetadata(run_file.file);
    expect(schema.filter(({ name }) => name === 'started_at' || name === 'dump_date')).toEqual([
      { type: 'INT32', repetition_type: 'OPTIONAL', name: 'dump_date', converted_type: 'DATE' },
      {
        type: 'INT64',
        repetition_type: 'OPTIONAL',
        name: 'started_at',
        converted_type: 'TIMESTAMP_MILLIS',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
      },
    ]);
    await db.pool.query(`
      insert into registry.stock_change values
          ('regon', 'infinity', null, null, null, 'ACTIVE', 1, 1, 0, 0, 0)
    `);
    const change = await exportParquet('registry.stock_change');
    const waiting = (await parquetReadObjects({ file: change.file })).filter(
      ({ source }) => source === 'regon',
    );
    expect(waiting).toMatchObject([{ stat_date: null, entry_change: 1n }]);
  });

  test('writes many rows as several row groups, and none as an empty file', async () => {
    await db.pool.query(`
      create view analyst.many as select i, 'row ' || i as name from generate_series(1, 45000) as i;
      create view analyst.none as select * from analyst.many where false
    `);
    const many = await exportParquet('many');
    const groups = parquetMetadata(many.file).row_groups;
    expect(groups.map(({ num_rows }) => num_rows)).toEqual([20_000n, 20_000n, 5000n]);
    const last = (await parquetReadObjects({ file: many.file }))[44_999];
    expect(last).toEqual({ i: 45_000, name: 'row 45000' });
    expect(await parquetReadObjects({ file: (await exportParquet('none')).file })).toEqual([]);
  });

  test('leaves no file behind when it fails', async () => {
    await db.pool.query(
      'create view analyst.broken as select 1 / (i - 3) from generate_series(1, 5) as i',
    );
    const output = join(folder, 'broken.csv');
    const { code } = await run('broken', '--format', 'csv', '--output', output);
    expect(code).toBe(1);
    expect((await readdir(folder)).filter((file) => file.startsWith('broken'))).toEqual([]);
  });

  test.each([
    ['a table with secrets', ['customer.account', '--format', 'csv']],
    ['a relation that does not exist', ['nothing', '--format', 'csv']],
    ['a statement instead of a name', ['company; drop table x', '--format', 'csv']],
    ['an unknown format', ['company', '--format', 'xlsx']],
    ['JSON where stdout has the rows', ['company', '--format', 'csv', '--json']],
  ])('exits with 2 for %s', async (_, args) => {
    const { code, stdout } = await run(...args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
  });
});
