import { describe, expect, test } from 'vitest';
import { createApiToken } from '../../fixtures/client/account.ts';
import { askJson, refusals } from '../../fixtures/client/json-client.ts';
import { shareDays } from '../../fixtures/dump/night.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { createWatcher } from '../../fixtures/client/watcher.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const now = new Date('2026-11-07T06:00:00.999Z');
const fetched_at = '2026-11-07T06:00:00+00:00';

const { database, api } = await useApi({ now: () => now }, async () => (await shareDays()).copy());
// Watches nothing.
const reader = await createWatcher(database, api);

function historyOf(identifier_type: string, identifier_value: string, rest = '') {
  const query = new URLSearchParams({ identifier_type, identifier_value });
  return reader.ask(`GET /companies/events?${query.toString()}${rest}`);
}

const added = {
  id: expect.any(Number),
  event_type: 'COMPANY_PHONE_ADDED',
  old_value: null,
  new_value: '400202101',
  event_date: '2026-11-03',
  severity: 'notice',
  event_class: 'growth',
  category: 'contacts',
  source: 'ceidg',
  country_code: 'PL',
};
const removed = {
  ...added,
  event_type: 'COMPANY_PHONE_REMOVED',
  old_value: '400202101',
  new_value: null,
  event_date: '2026-11-06',
  event_class: 'change',
};
const unknown = { status: 404, body: { message: 'No company with this number is known.' } };
const meta = {
  total: 2,
  per_page: 20,
  current_page: 1,
  last_page: 1,
  published: { ceidg: '2026-11-06' },
  fetched_at,
  primary_identifier: '1000201006',
  identifier_type: 'NIP',
  company_ref: expect.stringMatching(/^\d+$/),
  company_name: 'Piekarnia Pod Wieżą Anna Żakowska',
  company_status: 'ACTIVE',
  country_code: 'PL',
  is_watched: false,
};

describe('GET /api/v1/companies/events', () => {
  test.each([
    ['NIP', '1000201006'],
    ['NIP', '100-020-10-06'],
    ['REGON9', '990200011'],
    ['REGON9', ' 990 200 011 '],
  ])('200 tells the whole history, the newest first: %s %s', async (type, value) => {
    expect(await historyOf(type, value)).toEqual({
      status: 200,
      body: { status: 'success', data: { events: [removed, added] }, meta },
    });
  });

  test('200 takes the later of two events of a day first', async () => {
    const types = ['COMPANY_PHONE_CHANGED', 'COMPANY_NAME_CHANGED', 'COMPANY_ADDRESS_CHANGED'];
    expect(await historyOf('NIP', '1003201001')).toMatchObject({
      body: { data: { events: types.map((event_type) => ({ event_type })) }, meta: { total: 3 } },
    });
  });

  test('200 gives the events of one type in the order of their old and new values, backwards', async () => {
    const events = ['4333Z', '2370B'].map((new_value) => ({ new_value }));
    expect(await historyOf('NIP', '1002601000')).toMatchObject({ body: { data: { events } } });
  });

  test('200 goes page by page, and is empty past the end', async () => {
    for (const [page, events] of [[removed], [added], []].entries()) {
      const paging = { per_page: 1, current_page: page + 1, last_page: 2 };
      expect(await historyOf('NIP', '1000201006', `&per_page=1&page=${page + 1}`)).toEqual({
        status: 200,
        body: { status: 'success', data: { events }, meta: { ...meta, ...paging } },
      });
    }
  });

  test('200 is empty for a company that never changed', async () => {
    const named = { primary_identifier: '1000202000', company_name: expect.any(String) };
    expect(await historyOf('NIP', '1000202000')).toEqual({
      status: 200,
      body: { status: 'success', data: { events: [] }, meta: { ...meta, total: 0, ...named } },
    });
  });

  test('200 for a company that is deleted', async () => {
    expect(await historyOf('NIP', '1001203007')).toMatchObject({
      body: {
        data: { events: [{ event_type: 'COMPANY_STRUCK_OFF' }, { severity: 'critical' }] },
        meta: { company_status: 'DELETED' },
      },
    });
  });

  test('200 by its new number and by the old one, when the number changed', async () => {
    const changed = await historyOf('REGON9', '991400775');
    expect(changed).toMatchObject({
      body: { data: { events: [{ event_type: 'ANOMALY_REGON_CHANGE', old_value: '991400077' }] } },
    });
    expect(await historyOf('REGON9', '991400077')).toEqual(changed);
  });

  test.each([
    ['NIP', '5260250274'],
    ['REGON9', '010778878'],
    ['KRS', '0000123456'],
  ])('404 for a company that nobody knows: %s', async (type, value) => {
    expect(await historyOf(type, value)).toEqual(unknown);
  });
});

describe('GET /api/v1/companies/{company_ref}/events', () => {
  async function refOf(identifier_value: string): Promise<string> {
    const { body } = await historyOf('NIP', identifier_value);
    return (body as { meta: { company_ref: string } }).meta.company_ref;
  }

  test('200 tells what the history by number tells, page by page, free', async () => {
    const ref = await refOf('1000201006');
    expect(await reader.ask(`GET /companies/${ref}/events`)).toEqual(
      await historyOf('NIP', '1000201006'),
    );
    expect(await reader.ask(`GET /companies/${ref}/events?per_page=1&page=2`)).toMatchObject({
      body: { data: { events: [added] }, meta: { total: 2, last_page: 2, company_ref: ref } },
    });
    expect(await reader.read('/wallet')).toMatchObject({ data: { balance: 200 } });
  });

  test('200 says each event in the words of the mails, where a language is asked for', async () => {
    const ref = await refOf('1000201006');
    const events = [
      { ...removed, text: 'Usunięto numer telefonu: 400202101' },
      { ...added, text: 'Dodano numer telefonu: 400202101' },
    ];
    expect(await reader.ask(`GET /companies/${ref}/events?lang=pl`)).toMatchObject({
      body: { data: { events } },
    });
    expect(await historyOf('NIP', '1000201006', '&lang=en')).toMatchObject({
      body: { data: { events: [{ text: 'The phone number was removed: 400202101' }, {}] } },
    });
    expect((await reader.ask(`GET /companies/${ref}/events?lang=de`)).status).toBe(422);
  });

  test('200 says whether the company is watched, by whoever asks', async () => {
    const watcher = await createWatcher(database, api);
    await watcher.watch('1003201001');
    const path = `GET /companies/${await refOf('1003201001')}/events?lang=en`;
    expect(await watcher.ask(path)).toMatchObject({ body: { meta: { is_watched: true } } });
    expect(await reader.ask(path)).toMatchObject({ body: { meta: { is_watched: false } } });
  });

  test.each(['0', '4711000', '99999999999999999999', '-1', '1e2', 'x', '1%20'])(
    '404 for a reference that was never given: %s',
    async (ref) => {
      expect(await reader.ask(`GET /companies/${ref}/events`)).toEqual(unknown);
    },
  );

  test('429 beyond 60 a minute of an account, while its other requests go on', async () => {
    const eager = await createWatcher(database, api);
    const path = `GET /companies/${await refOf('1000201006')}/events`;
    const { plaintext: token } = await createApiToken(database.kysely, eager.account_id);
    for (let at = 0; at < 60; at += 1) expect((await eager.ask(path)).status).toBe(200);
    expect(await askJson(api, path, { token })).toEqual({
      status: 429,
      body: { message: 'An account has at most 60 histories by company_ref a minute.' },
    });
    expect(await eager.ask('GET /wallet')).toMatchObject({ status: 200 });
    expect(await reader.ask(path)).toMatchObject({ status: 200 });
  });

  test('a history is found by the key of the table, however many events there are', async () => {
    const many = await createTestDatabase();
    const { pool } = many;
    await pool.query(`
      insert into registry.event (company_id, event_id, entry_id, event_date, source, event_type)
      select id % 10000, id, 1, date '2026-01-01' + id % 300, 'ceidg', 'COMPANY_NAME_CHANGED'
      from generate_series(1, 30000) as id`);
    await pool.query('analyze registry.event');
    const { rows } = await pool.query<Record<string, string>>(`
      explain select * from registry.event
      where company_id = 4711 order by event_date desc, event_id desc limit 20`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('event_pkey');
    expect(plan).not.toContain('Seq Scan');
  });
});

const nip = 'must be a NIP: ten digits, the last of which is the check digit.';
const regon9 = 'must be a REGON of nine digits, the last of which is the check digit.';
const krs = 'must be a KRS number: ten digits, leading zeros included.';
const types = 'must be one of NIP, REGON9, KRS, SIREN, SIRET, RNA.';
const known = 'identifier_type=NIP&identifier_value=1000201006';

test.each([
  ['', 'identifier_type', 'is required.'],
  ['identifier_type=NIP', 'identifier_value', 'is required.'],
  ['identifier_type=nip&identifier_value=1000201006', 'identifier_type', types],
  ['identifier_type=NIP&identifier_value=1000201007', 'identifier_value', nip],
  ['identifier_type=REGON9&identifier_value=99020001100013', 'identifier_value', regon9],
  ['identifier_type=KRS&identifier_value=12345', 'identifier_value', krs],
  [`${known}&scope=all`, 'scope', 'is unknown.'],
])('GET /api/v1/companies/events 422 for %s', async (query, field, wrong) => {
  const answer = await reader.ask(`GET /companies/events?${query}`);
  const errors = refusals({ [field]: wrong });
  expect(answer).toMatchObject({ status: 422, body: { errors } });
});
