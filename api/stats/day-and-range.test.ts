import { beforeAll, describe, expect, test } from 'vitest';
import { useApi } from '../../fixtures/client/use-api.ts';
import { insertDays } from '../../fixtures/database/published-days.ts';

const { database, api } = await useApi();

const noDate = 'The date field must be a calendar date in the form YYYY-MM-DD.';
const unknownSource = 'The source field must be the name of a source that has statistics.';

async function answerOf(path: string): Promise<{ status: number; body: unknown }> {
  const response = await api.ask(path);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  return { status: response.status, body: await response.json() };
}

describe('the source of the statistics', () => {
  test('404 as long as there is none', async () => {
    const paths = ['day/2026-01-01', 'range/2026-01-01', 'day/2026-01-01?source=ceidg', 'series'];
    for (const path of paths) {
      expect(await answerOf(`/api/v1/stats/${path}`)).toEqual({
        status: 404,
        body: { message: 'No snapshot has been published yet.' },
      });
    }
  });

  test('is the one with the most days, then the one that began first, then the first by name', async () => {
    const sourceOf = async (path: string) => {
      const { body } = await answerOf(`/api/v1/stats/${path}`);
      return (body as { meta: { source: unknown } }).meta.source;
    };
    const add = (source: string, date: string) =>
      insertDays(database, `('${source}', '${date}', 0, 0, 0, 1, true)`);

    await add('c', '2026-01-05');
    await add('b', '2026-01-05');
    expect(await sourceOf('range/2026-01-31')).toBe('b');
    expect(await sourceOf('day/2026-01-05')).toBe('b');
    await add('d', '2026-01-04');
    expect(await sourceOf('range/2026-01-31')).toBe('d');
    await add('c', '2026-01-06');
    expect(await sourceOf('range/2026-01-31')).toBe('c');
    expect(await sourceOf('day/2026-01-05?source=b')).toBe('b');
    await database.pool.query('delete from registry.run');
  });
});

const largest = [9007199254740000, 900, 91, 9007199254740991];

describe('GET /api/v1/stats/day/{date}', () => {
  beforeAll(() =>
    insertDays(
      database,
      `('ceidg', '2026-01-01', 0, 0, 0, 100, true),
       ('ceidg', '2026-01-02', 5, 7, 2, 103, false),
       ('ceidg', '2026-01-31', 1, 0, 4, 100, false),
       ('ceidg', '2026-03-01', 9007199254740000, 900, 91, 9007199254740009, false),
       ('krs', '2026-01-30', 0, 0, 0, 10, true),
       ('krs', '2026-01-31', 0, 30, 0, 10, false)`,
    ),
  );

  test('200 counts one snapshot', async () => {
    expect(await answerOf('/api/v1/stats/day/2026-01-02')).toEqual({
      status: 200,
      body: {
        meta: {
          date: '2026-01-02',
          type: 'daily_snapshot',
          source: 'ceidg',
          description:
            'Registry entries that were new, updated or deleted in the snapshot of 2026-01-02, compared with the snapshot before it.',
        },
        data: { new: 5, updated: 7, deleted: 2, total: 14 },
      },
    });
  });

  const baseline =
    'Baseline: the snapshot of 2026-01-01 is the first of its source. No snapshot precedes it, so nothing counts as new, updated or deleted.';
  test.each([
    ['the baseline', '2026-01-01', { description: baseline }, [0, 0, 0, 0]],
    ['the source that is asked for', '2026-01-31?source=krs', { source: 'krs' }, [0, 30, 0, 30]],
    ['integers up to the largest safe one', '2026-03-01', {}, largest],
  ])('200 counts %s', async (_name, day, meta, [born, updated, deleted, total]) => {
    expect((await answerOf(`/api/v1/stats/day/${day}`)).body).toMatchObject({
      meta,
      data: { new: born, updated, deleted, total },
    });
  });

  test.each([
    ['2026-01-03', 'ceidg'],
    ['0001-01-01', 'ceidg'],
    ['9999-12-31', 'ceidg'],
    ['2026-01-02', 'krs'],
  ])('404 for a day without a snapshot: %s of %s', async (date, source) => {
    expect(await answerOf(`/api/v1/stats/day/${date}?source=${source}`)).toEqual({
      status: 404,
      body: { message: `No snapshot of ${source} was published for ${date}.` },
    });
  });

  test.each([
    ...['2026-02-30', '2025-02-29', '2026-1-1', '20260101', 'today', '2026-01-01%00'].map(
      (date) => [`day/${date}`, 'date', noDate] as const,
    ),
    ['day/0000-12-31', 'date', 'The date field must not be before 0001-01-01.'] as const,
    ['range/2026-02-30', 'date', noDate] as const,
    ...['regon', 'CEIDG', '', 'ceidg%00', 'ceidg%20'].map(
      (source) => [`day/2026-01-02?source=${source}`, 'source', unknownSource] as const,
    ),
    ['range/2026-01-31?source=regon', 'source', unknownSource] as const,
  ])('422 for %s', async (path, field, message) => {
    expect(await answerOf(`/api/v1/stats/${path}`)).toEqual({
      status: 422,
      body: { message, errors: { [field]: [message] } },
    });
  });
});

describe('GET /api/v1/stats/range/{date}', () => {
  test('200 sums 30 days, the first and the last included', async () => {
    expect(await answerOf('/api/v1/stats/range/2026-01-31')).toEqual({
      status: 200,
      body: {
        meta: {
          from_date: '2026-01-02',
          to_date: '2026-01-31',
          source: 'ceidg',
          description:
            'Registry entries that were new, updated or deleted, summed over the 2 daily snapshots from 2026-01-02 to 2026-01-31; a baseline counts nothing.',
          days_with_data: 2,
        },
        data: { new: 6, updated: 7, deleted: 6, total: 19 },
      },
    });
  });

  test('200 leaves out the day before the first', async () => {
    const { body } = await answerOf('/api/v1/stats/range/2026-02-01');
    expect(body).toMatchObject({
      meta: { from_date: '2026-01-03', to_date: '2026-02-01', days_with_data: 1 },
      data: { new: 1, updated: 0, deleted: 4, total: 5 },
    });
  });

  test.each([
    ['2031-01-30', '2031-01-01'],
    ['0001-01-01', '0000-12-03'],
    // The range of days from 2024-02-01 to 2024-03-01 contains a leap day.
    ['2024-03-01', '2024-02-01'],
  ])('200 has zeros for a range without a snapshot and says so: %s', async (to_date, from_date) => {
    const description = `No snapshot was published from ${from_date} to ${to_date}: the zeros stand for no data.`;
    expect((await answerOf(`/api/v1/stats/range/${to_date}`)).body).toMatchObject({
      meta: { from_date, to_date, description, days_with_data: 0 },
      data: { new: 0, updated: 0, deleted: 0, total: 0 },
    });
  });
});
