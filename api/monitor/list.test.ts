import { describe, expect, test } from 'vitest';
import { createApiToken } from '../../fixtures/client/account.ts';
import { askJson } from '../../fixtures/client/json-client.ts';
import { createFirstDay } from '../../fixtures/dump/night.ts';
import { createSubmitter } from '../../fixtures/client/submitter.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

let now = new Date('2026-11-19T23:59:59.999Z');

const { database, api } = await useApi({ now: () => now }, createFirstDay);

const bakery = {
  primary_identifier: '1000201006',
  identifier_type: 'NIP',
  submitted_identifier: '990200011',
  company_ref: expect.stringMatching(/^\d+$/),
  name: 'Piekarnia Pod Wieżą Anna Żakowska',
  reference: null,
  watched_since: '2026-11-19',
  last_event_at: null,
  events_count: 0,
  state: 'ready',
  failure: null,
  has_custom_settings: false,
};
const path = 'GET /companies/watched';

describe('GET /api/v1/companies/watched', () => {
  test('200 gives the newest first, under the number that names the company', async () => {
    const submitter = await createSubmitter(database, api);
    await submitter.add('REGON9', '990200011');
    // Has no NIP.
    await submitter.add('REGON9', '991800026');
    now = new Date('2026-11-20T00:00:00Z');
    await submitter.add('KRS', '0000000017');
    expect(await submitter.ask(path)).toEqual({
      status: 200,
      body: {
        success: true,
        data: [
          {
            ...bakery,
            primary_identifier: '0000000017',
            identifier_type: 'KRS',
            submitted_identifier: '0000000017',
            company_ref: null,
            name: '',
            watched_since: '2026-11-20',
            state: 'queued',
          },
          {
            ...bakery,
            primary_identifier: '991800026',
            identifier_type: 'REGON9',
            submitted_identifier: '991800026',
            name: 'Pasieka Barć Józef Trutnik',
          },
          bakery,
        ],
        meta: { total: 3, per_page: 20, current_page: 1, last_page: 1 },
      },
    });
  });

  test('200 shows when the last event came, to the microsecond, and how many there were', async () => {
    const submitter = await createSubmitter(database, api);
    await submitter.add('NIP', '1000201006');
    await database.pool.query(
      `update customer.watch
      set last_event_at = '2026-11-21 04:05:06.123456+01', events_count = 12
      where account_id = $1`,
      [submitter.account_id],
    );
    expect(await submitter.ask(path)).toMatchObject({
      body: { data: [{ last_event_at: '2026-11-21T03:05:06.123456Z', events_count: 12 }] },
    });
  });

  test('200 goes on where the page before ended, and is empty past the end', async () => {
    const submitter = await createSubmitter(database, api);
    const numbers = Array.from({ length: 41 }, (_, at) => String(at + 1).padStart(10, '0'));
    await submitter.add('KRS', ...numbers);
    const pages = [];
    for (const page of [1, 2, 3, 4]) {
      const { body } = await submitter.ask(`${path}?page=${page}`);
      const { data, meta } = body as { data: { primary_identifier: string }[]; meta: object };
      expect(meta).toEqual({ total: 41, per_page: 20, current_page: page, last_page: 3 });
      pages.push(data.map(({ primary_identifier }) => primary_identifier));
    }
    expect(pages.flat()).toEqual(numbers.toReversed());
    expect(pages.map(({ length }) => length)).toEqual([20, 20, 1, 0]);
    expect(await submitter.ask(`${path}?per_page=7&page=6`)).toMatchObject({
      body: {
        data: [{}, {}, {}, {}, {}, {}],
        meta: { per_page: 7, current_page: 6, last_page: 6 },
      },
    });
  });

  test('200 shows only what is one’s own, with an API token too', async () => {
    const submitter = await createSubmitter(database, api);
    const stranger = await createSubmitter(database, api);
    await submitter.add('NIP', '1000201006');
    expect(await stranger.list()).toEqual([]);
    const { plaintext: token } = await createApiToken(database.kysely, submitter.account_id);
    expect(await askJson(api, path, { token })).toMatchObject({ body: { meta: { total: 1 } } });
  });
});
