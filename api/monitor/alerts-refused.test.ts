import { describe, expect, test } from 'vitest';
import { askJson } from '../../fixtures/client/json-client.ts';
import { createFirstDay } from '../../fixtures/dump/night.ts';
import { createWatcher } from '../../fixtures/client/watcher.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { category, eventClass, severity } from '../dictionaries/names.ts';

const watched = '1001001002';

const { database, api } = await useApi({}, createFirstDay);
const watcher = await createWatcher(database, api);
await watcher.watch(watched);

const least = { alert_min_severity: 'info' };
const anyOf = (values: readonly string[]) => `must be one of ${values.join(', ')}.`;
const notNip =
  'The identifier_value field must be a NIP: ten digits, the last of which is the check digit.';
const empty = 'field must have at least 1 item.';

const invalid: [body: unknown, errors: Record<string, string[]>][] = [
  [{}, { alert_min_severity: ['The alert_min_severity field is required.'] }],
  [
    { alert_min_severity: 'severe' },
    { alert_min_severity: [`The alert_min_severity field ${anyOf(severity.options)}`] },
  ],
  [
    { alert_min_severity: null },
    { alert_min_severity: [`The alert_min_severity field ${anyOf(severity.options)}`] },
  ],
  [
    { ...least, alerts_enabled: 'true', notify_via_email: 1 },
    {
      alerts_enabled: ['The alerts_enabled field must be true or false.'],
      notify_via_email: ['The notify_via_email field must be true or false.'],
    },
  ],
  [
    {
      ...least,
      alert_event_classes: ['risk', 'riks', 'change', 7],
      alert_categories: ['RISK'],
    },
    {
      'alert_event_classes.1': [`The alert_event_classes.1 field ${anyOf(eventClass.options)}`],
      'alert_event_classes.3': [`The alert_event_classes.3 field ${anyOf(eventClass.options)}`],
      'alert_categories.0': [`The alert_categories.0 field ${anyOf(category.options)}`],
    },
  ],
  [
    { ...least, alert_event_classes: [], alert_categories: [] },
    {
      alert_event_classes: [`The alert_event_classes ${empty}`],
      alert_categories: [`The alert_categories ${empty}`],
    },
  ],
  [
    { ...least, alert_event_classes: 'risk', alert_categories: null },
    {
      alert_event_classes: ['The alert_event_classes field must be a list.'],
      alert_categories: ['The alert_categories field must be a list.'],
    },
  ],
  [{ ...least, force: 'yes' }, { force: ['The force field must be true or false.'] }],
  [{ ...least, severity: 'info' }, { severity: ['The severity field is unknown.'] }],
  [
    { ...least, identifier_type: 'NIP' },
    { identifier_value: ['The identifier_value field is required with identifier_type.'] },
  ],
  [
    { ...least, identifier_value: watched },
    { identifier_type: ['The identifier_type field is required with identifier_value.'] },
  ],
  [
    { ...least, identifier_type: 'PESEL', identifier_value: watched },
    {
      identifier_type: [
        `The identifier_type field ${anyOf(['NIP', 'REGON9', 'KRS', 'SIREN', 'SIRET', 'RNA'])}`,
      ],
    },
  ],
  [
    { ...least, identifier_type: 'NIP', identifier_value: '1001001003' },
    { identifier_value: [notNip] },
  ],
  [{ ...least, identifier_type: 'NIP', identifier_value: '' }, { identifier_value: [notNip] }],
  [
    { ...least, identifier_type: 'NIP', identifier_value: [watched] },
    { identifier_value: ['The identifier_value field must be a string.'] },
  ],
  [
    { ...least, identifier_type: 'NIP', identifier_value: ` ${watched}`.padStart(51) },
    { identifier_value: ['The identifier_value field must not be longer than 50 characters.'] },
  ],
  [
    { identifier_type: 'NIP', identifier_value: '1' },
    {
      alert_min_severity: ['The alert_min_severity field is required.'],
      identifier_value: [notNip],
    },
  ],
];

describe('PATCH /watchlist/alerts', () => {
  test('401 without a token', async () => {
    const answer = await askJson(api, 'PATCH /watchlist/alerts', { body: least });
    expect(answer.status).toBe(401);
  });

  test('404 for a company that is not on the list, is known to nobody, or on the list of others', async () => {
    const other = await createWatcher(database, api);
    await other.watch('1003201001');
    const notThere = ['1000201006', '5252344078', '1003201001', '100-320-10-01'];
    for (const identifier_value of notThere) {
      const body = { ...least, identifier_type: 'NIP', identifier_value };
      const answer = await watcher.ask('PATCH /watchlist/alerts', body);
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([
        404,
        '{"success":false,"message":"The company is not on your watch list."}',
      ]);
    }
  });

  test.each(invalid)('422 %j', async (body, errors) => {
    const answer = await watcher.ask('PATCH /watchlist/alerts', body);
    expect(answer).toMatchObject({ status: 422, body: { errors } });
    expect((answer.body as { errors: object }).errors).toEqual(errors);
  });

  test('changes nothing that was refused', async () => {
    expect(await watcher.read('/watchlist/alerts')).toMatchObject({
      data: { global: { alert_min_severity: 'info', alerts_enabled: false }, companies: [] },
    });
    const { rows } = await database.pool.query('select from customer.alert_setting');
    expect(rows).toEqual([]);
  });
});

describe('GET /watchlist/alerts', () => {
  test('401 without a token', async () => {
    expect((await askJson(api, 'GET /watchlist/alerts')).status).toBe(401);
  });

  test.each(['page=0', 'page=-1', 'page=1000000000001', 'page=1&page=2', 'page=', 'per_page=101'])(
    '422 %s',
    async (query) => {
      expect((await watcher.ask(`GET /watchlist/alerts?${query}`)).status).toBe(422);
    },
  );
});
