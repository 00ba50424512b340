import { describe, expect, test } from 'vitest';
import { createFirstDay } from '../../fixtures/dump/night.ts';
import { refusal, refusals } from '../../fixtures/client/json-client.ts';
import { createWatcher, type Watcher } from '../../fixtures/client/watcher.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { category, eventClass, severity } from '../dictionaries/names.ts';

const nips = ['1001001002', '1003201001', '1000201006'] as const;
const [suspended, renamed, bakery] = nips;

const { database, api } = await useApi({}, createFirstDay);

/** Creates an account that watches three companies. */
async function watchThree(): Promise<Watcher> {
  const watcher = await createWatcher(database, api);
  await watcher.watch(...nips);
  return watcher;
}

async function update(watcher: Watcher, body: object): Promise<number> {
  const answer = await watcher.ask('PATCH /watchlist/alerts', body);
  const { updated } = (answer.body as { data: { updated: number } }).data;
  expect(answer).toEqual({ status: 200, body: { success: true, data: { updated } } });
  return updated;
}

interface Settings {
  data: { global: object; companies: Record<'primary_identifier' | 'company_ref', string>[] };
  meta: { total: number };
}

const read = (watcher: Watcher, query = '') => watcher.read<Settings>(`/watchlist/alerts${query}`);

const globalOf = async (watcher: Watcher) => (await read(watcher)).data.global;

const one = (nip: string) => ({ identifier_type: 'NIP', identifier_value: nip });

const ownAtFirst = {
  alert_min_severity: 'info',
  alerts_enabled: false,
  notify_via_email: false,
  alert_event_classes: eventClass.options,
  alert_categories: category.options,
};

const atFirst = { ...ownAtFirst, notify_submissions: true };

test.each([
  ['severity', 'severity', severity.options],
  ['event_class', 'event_type', eventClass.options],
  ['category', 'event_type', category.options],
])(
  'the values of %s are those of the dictionary',
  async (name, table, values: readonly string[]) => {
    const { rows } = await database.pool.query<{ value: string }>(
      `select distinct ${name} as value from registry.${table}`,
    );
    expect(rows.map(({ value }) => value).toSorted()).toEqual(values.toSorted());
  },
);

describe('GET /watchlist/alerts', () => {
  test('200 before anything was set', async () => {
    expect(await read(await watchThree())).toEqual({
      success: true,
      data: { global: atFirst, companies: [] },
      meta: { total: 0, per_page: 20, current_page: 1, last_page: 1 },
    });
  });

  test('200 lists companies with settings of their own in pages, the newest first', async () => {
    const watcher = await createWatcher(database, api);
    const { rows } = await database.pool.query<{ nip: string }>(
      'select nip from registry.company where nip is not null order by nip limit 22',
    );
    for (const { nip } of rows) {
      await watcher.watch(nip);
      await update(watcher, { alert_min_severity: 'high', ...one(nip) });
    }
    const expected = rows.map(({ nip }) => nip).toReversed();
    for (const page of [1, 2, 3]) {
      const { data, meta } = await read(watcher, `?page=${page}`);
      expect(data.companies.map((company) => company.primary_identifier)).toEqual(
        expected.slice((page - 1) * 20, page * 20),
      );
      expect(meta).toEqual({ total: 22, per_page: 20, current_page: page, last_page: 2 });
    }
  });
});

describe('PATCH /watchlist/alerts for all companies', () => {
  test('200 counts the companies, and sets what the request has', async () => {
    const watcher = await watchThree();
    const body = {
      alert_min_severity: 'warning',
      alerts_enabled: true,
      notify_via_email: true,
      notify_submissions: true,
      alert_event_classes: ['risk', 'anomaly', 'risk'],
      alert_categories: ['finance', 'status', 'finance'],
    };
    expect(await update(watcher, body)).toBe(3);
    expect(await globalOf(watcher)).toEqual({
      ...body,
      alert_event_classes: ['risk', 'anomaly'],
      alert_categories: ['status', 'finance'],
    });
  });

  test('200 keeps the switches that are left out, and no lists', async () => {
    const watcher = await watchThree();
    await update(watcher, { alert_min_severity: 'info', alert_event_classes: ['risk'] });
    expect(await globalOf(watcher)).toEqual({ ...atFirst, alert_event_classes: ['risk'] });
    await update(watcher, { alert_min_severity: 'high', alerts_enabled: true });
    await update(watcher, { alert_min_severity: 'error', notify_via_email: true, force: false });
    await update(watcher, { alert_min_severity: 'critical' });
    expect(await globalOf(watcher)).toEqual({
      ...atFirst,
      alert_min_severity: 'critical',
      alerts_enabled: true,
      notify_via_email: true,
    });
  });

  test('200 leaves companies alone that have settings of their own, unless it is forced', async () => {
    const watcher = await watchThree();
    await update(watcher, { alert_min_severity: 'high', ...one(suspended) });
    expect(await update(watcher, { alert_min_severity: 'notice' })).toBe(2);
    expect((await read(watcher)).data.companies).toMatchObject([
      { primary_identifier: suspended, alert_min_severity: 'high' },
    ]);
    expect(await update(watcher, { alert_min_severity: 'notice', force: true })).toBe(3);
    expect((await read(watcher)).data.companies).toEqual([]);
    const { rows } = await database.pool.query(
      `select distinct has_custom_settings, alerts_enabled, notify_via_email, alert_min_severity
       from customer.watch where account_id = $1`,
      [watcher.account_id],
    );
    expect(rows.map((row: object) => Object.values(row))).toEqual([[false, null, null, null]]);
  });

  test('200 concerns nobody else', async () => {
    const [watcher, other] = [await watchThree(), await watchThree()];
    await update(other, { alert_min_severity: 'high', ...one(renamed) });
    const before = await read(other);
    const body = { alert_min_severity: 'critical', alerts_enabled: true, force: true };
    expect(await update(watcher, body)).toBe(3);
    expect(await read(other)).toEqual(before);
  });
});

describe('PATCH /watchlist/alerts for one company', () => {
  test('200 starts from what is set for all, and then from its own', async () => {
    const watcher = await watchThree();
    const global = { alert_min_severity: 'info', alerts_enabled: true };
    await update(watcher, { ...global, alert_event_classes: ['risk'] });
    const number = { identifier_type: 'REGON9', identifier_value: '991 000-018' };
    expect(await update(watcher, { alert_min_severity: 'high', force: true, ...number })).toBe(1);
    const company = {
      primary_identifier: suspended,
      identifier_type: 'NIP',
      submitted_identifier: suspended,
      company_ref: expect.stringMatching(/^\d+$/),
      name: 'Tkaniny Artystyczne Jadwiga Włókniarz',
      reference: null,
      has_custom_settings: true,
      ...ownAtFirst,
      alert_min_severity: 'high',
      alerts_enabled: true,
    };
    expect((await read(watcher)).data.companies).toEqual([company]);

    const off = { alerts_enabled: false, notify_via_email: true, alert_categories: ['status'] };
    await update(watcher, { alert_min_severity: 'high', ...off, ...one(suspended) });
    await update(watcher, { alert_min_severity: 'critical', alerts_enabled: true });
    await update(watcher, { alert_min_severity: 'notice', ...one(suspended) });
    expect((await read(watcher)).data.companies).toEqual([
      { ...company, alert_min_severity: 'notice', alerts_enabled: false, notify_via_email: true },
    ]);
  });

  test('200 for one that is awaited', async () => {
    const watcher = await createWatcher(database, api);
    await watcher.watch('5252344078');
    expect(await update(watcher, { alert_min_severity: 'high', ...one('525-234-40-78') })).toBe(1);
    expect((await read(watcher)).data.companies).toMatchObject([
      { primary_identifier: '5252344078', identifier_type: 'NIP', name: '' },
    ]);
  });

  test('200 for many at once: each has what it was given, or what was forced on all', async () => {
    const watcher = await watchThree();
    const steps = Array.from({ length: 30 }, (_, at) => {
      const nip = nips[at % 3]!;
      if (at % 5 === 4) return { alert_min_severity: 'info', alerts_enabled: true, force: true };
      return { alert_min_severity: 'high', notify_via_email: true, ...one(nip) };
    });
    await Promise.all(steps.map((body) => update(watcher, body)));
    await update(watcher, { alert_min_severity: 'high', ...one(bakery) });
    const { data, meta } = await read(watcher);
    expect(meta.total).toBe(data.companies.length);
    for (const company of data.companies) {
      expect(company).toMatchObject({ alert_min_severity: 'high', has_custom_settings: true });
    }
    expect(data.global).toEqual({ ...atFirst, alerts_enabled: true });
  });
});

const remove = (watcher: Watcher, body: object) => watcher.ask('DELETE /watchlist/alerts', body);
const notWatched = {
  status: 404,
  body: { success: false, message: 'The company is not on your watch list.' },
};
const done = (updated: number) => ({ status: 200, body: { success: true, data: { updated } } });

describe('DELETE /watchlist/alerts', () => {
  test('200 puts one company back under the global settings, and no other', async () => {
    const watcher = await watchThree();
    for (const nip of [bakery, renamed]) {
      await update(watcher, { alert_min_severity: 'high', ...one(nip) });
    }
    expect(await remove(watcher, one('100-020-10-06'))).toEqual(done(1));
    expect(await remove(watcher, one('100-020-10-06'))).toEqual(done(0));
    const { companies } = (await read(watcher)).data;
    expect(companies).toMatchObject([{ primary_identifier: renamed }]);
    expect(await update(watcher, { alert_min_severity: 'info' })).toBe(2);
    // An alert setting can name its company by `company_ref`, too.
    const { company_ref } = companies[0]!;
    expect(await update(watcher, { alert_min_severity: 'info', company_ref })).toBe(1);
    expect(await remove(watcher, { company_ref })).toEqual(done(1));
    expect(await remove(watcher, { company_ref: '4711000' })).toEqual(notWatched);
  });

  test.each([bakery, '5252344078'])('404 for %s, which the account does not watch', async (nip) => {
    const watcher = await createWatcher(database, api);
    expect(await remove(watcher, one(nip))).toEqual(notWatched);
  });

  test('422 without the company, or with a number that is not valid', async () => {
    const watcher = await createWatcher(database, api);
    const errors = refusals({ identifier_type: 'is required.', identifier_value: 'is required.' });
    expect(await remove(watcher, {})).toMatchObject({ status: 422, body: { errors } });
    expect(await remove(watcher, one('1'))).toMatchObject({ status: 422 });
    expect(await remove(watcher, { ...one(bakery), company_ref: '1' })).toEqual(
      refusal('company_ref', 'The company_ref field must be given without a number.'),
    );
  });
});

const refused = await createWatcher(database, api);
await refused.watch(suspended);

const least = { alert_min_severity: 'info' };
const anyOf = (values: readonly string[]) => `must be one of ${values.join(', ')}.`;
const notNip = 'must be a NIP: ten digits, the last of which is the check digit.';
const empty = 'must have at least 1 item.';

const invalid: [body: unknown, errors: Record<string, string>][] = [
  [{}, { alert_min_severity: 'is required.' }],
  [{ alert_min_severity: 'severe' }, { alert_min_severity: anyOf(severity.options) }],
  [
    { ...least, alerts_enabled: 'true', notify_via_email: 1 },
    { alerts_enabled: 'must be true or false.', notify_via_email: 'must be true or false.' },
  ],
  [
    { ...least, alert_event_classes: ['risk', 'riks', 'change', 7], alert_categories: ['RISK'] },
    {
      'alert_event_classes.1': anyOf(eventClass.options),
      'alert_event_classes.3': anyOf(eventClass.options),
      'alert_categories.0': anyOf(category.options),
    },
  ],
  [
    { ...least, alert_event_classes: [], alert_categories: [] },
    { alert_event_classes: empty, alert_categories: empty },
  ],
  [{ ...least, severity: 'info' }, { severity: 'is unknown.' }],
  [{ ...least, identifier_type: 'NIP' }, { identifier_value: 'is required with identifier_type.' }],
  [
    { ...least, identifier_value: suspended },
    { identifier_type: 'is required with identifier_value.' },
  ],
  [
    { ...least, ...one(suspended), identifier_type: 'PESEL' },
    { identifier_type: anyOf(['NIP', 'REGON9', 'KRS', 'SIREN', 'SIRET', 'RNA']) },
  ],
  [{ ...least, ...one('1001001003') }, { identifier_value: notNip }],
  [one('1'), { alert_min_severity: 'is required.', identifier_value: notNip }],
];

describe('PATCH /watchlist/alerts', () => {
  test('404 for a company that is not on the list, is known to nobody, or on the list of others', async () => {
    const other = await createWatcher(database, api);
    await other.watch('1003201001');
    const notThere = ['1000201006', '5252344078', '1003201001', '100-320-10-01'];
    for (const identifier_value of notThere) {
      const body = { ...least, ...one(identifier_value) };
      expect(await refused.ask('PATCH /watchlist/alerts', body)).toEqual(notWatched);
    }
  });

  test.each(invalid)('422 %j', async (body, errors) => {
    const answer = await refused.ask('PATCH /watchlist/alerts', body);
    expect(answer.status).toBe(422);
    expect((answer.body as { errors: object }).errors).toEqual(refusals(errors));
  });

  test('changes nothing that was refused', async () => {
    expect((await read(refused)).data).toEqual({ global: atFirst, companies: [] });
  });
});
