import { describe, expect, test } from 'vitest';
import { runFixture, testNow } from '../../fixtures/dump/night.ts';
import { createSubmitter } from '../../fixtures/client/submitter.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const submitted_at = new Date('2026-11-19T10:05:00Z');

const bakery = 'NIP 1000201006 ready Piekarnia Pod Wieżą Anna Żakowska';

const { database, api } = await useApi({ now: () => submitted_at });
const submitter = await createSubmitter(database, api);

describe('companies that are waited for', () => {
  test('are ready after the first snapshot that has them', async () => {
    // The companies are submitted before any day is published in the database.
    await submitter.add('NIP', '1000201006', '1000205004');
    await runFixture(database, '2026-11-02');
    expect(await submitter.list()).toEqual([bakery, 'NIP 1000205004 queued']);
    expect(await submitter.mails()).toEqual([]);
  });

  test('are ready after the night that brings them; the mail comes with the last of them', async () => {
    const late = await createSubmitter(database, api);
    // The first company is new on 2026-11-03, the second is new on 2026-11-04, and the third NIP is assigned on
    // 2026-11-04.
    await late.add('NIP', '1000205004', '1001207005', '1001802009');
    await runFixture(database, '2026-11-03');
    const studio = 'NIP 1000205004 ready Studio Tatuażu Kruk Oliwia Mączyńska';
    expect(await submitter.list()).toEqual([bakery, studio]);
    const ready = [
      { name: 'Piekarnia Pod Wieżą Anna Żakowska' },
      { name: 'Studio Tatuażu Kruk Oliwia Mączyńska' },
    ];
    expect(await submitter.mails()).toMatchObject([
      { created_at: testNow, data: { submitted_at: '2026-11-19T10:05:00Z', ready } },
    ]);
    expect(await late.mails()).toEqual([]);
    // The feed contains the events of the night in which the watched company was published.
    const route = 'GET /watchlist/events?event_type=COMPANY_REGISTERED';
    expect(await late.ask(route)).toMatchObject({
      body: {
        data: [
          { submitted_identifier: '1000205004', new_value: 'Studio Tatuażu Kruk Oliwia Mączyńska' },
        ],
      },
    });

    await runFixture(database, '2026-11-04');
    expect(await late.list()).toEqual([
      studio,
      'NIP 1001207005 ready Bacówka Oscypek Franciszek Gazda',
      'NIP 1001802009 ready Pasieka Barć Józef Trutnik',
    ]);
    expect(await late.mails()).toHaveLength(1);
    expect(await submitter.mails()).toHaveLength(1);
    const open = 'select from customer.submission where settled_at is null';
    expect((await database.pool.query(open)).rowCount).toBe(0);
  });
});

test('a company that no registry tells of fails after seven days, and can be submitted again', async () => {
  const other = await useApi({ now: () => submitted_at });
  const late = await createSubmitter(other.database, other.api);
  await late.add('NIP', '1000201006', '1000205004');
  await late.add('KRS', '0000000017');
  const almost = new Date('2026-11-26T10:04:59.999Z');
  await runFixture(other.database, '2026-11-02', { now: () => almost });
  expect(await late.list()).toEqual([
    expect.stringMatching(/^NIP 1000201006 ready/),
    'NIP 1000205004 queued',
    'KRS 0000000017 queued',
  ]);
  const later = new Date('2026-11-26T10:05:00Z');
  await runFixture(other.database, '2026-11-03', { now: () => later });
  // The second company is ready, because its registry reports it on the last of the seven days.
  expect(await late.list()).toEqual([
    expect.stringMatching(/^NIP 1000201006 ready/),
    expect.stringMatching(/^NIP 1000205004 ready/),
    'KRS 0000000017 failed',
  ]);
  const reason = 'No registry has reported this number within 7 days';
  expect(await late.ask('GET /companies/watched')).toMatchObject({
    body: { data: [{ state: 'failed', failure: reason }, {}, {}] },
  });
  expect(await late.mails()).toMatchObject([
    { created_at: later, data: { ready: [{}, {}], failed: [] } },
    {
      data: {
        ready: [],
        failed: [{ identifier_value: '0000000017', failure: { sentence: reason } }],
      },
    },
  ]);
  await late.add('KRS', '0000000017');
  expect((await late.list()).at(-1)).toBe('KRS 0000000017 queued');
});
