import { beforeAll, describe, expect, test } from 'vitest';
import { createFirstDay } from '../../fixtures/dump/night.ts';
import { refusals } from '../../fixtures/client/json-client.ts';
import { createSubmitter, type Submitter } from '../../fixtures/client/submitter.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const now = new Date('2026-11-20T10:05:00.999Z');

const { database, api } = await useApi({ now: () => now }, createFirstDay);

const path = 'DELETE /companies/watched';
const [bakery, zoo, adviser] = ['1000201006', '1001401003', '1001403002'];

/** Returns the expected answer to a removal, whose data are three lists of numbers. */
function answered({ removed = [], not_found = [], not_watched = [] }: Record<string, string[]>) {
  const data = { removed, not_found, not_watched };
  const counts = Object.entries(data).map(([name, numbers]) => [name, numbers.length]);
  const meta = {
    total: [removed, not_found, not_watched].flat().length,
    ...Object.fromEntries(counts),
    removed_at: '2026-11-20T10:05:00+00:00',
  };
  return { status: 200, body: { success: true, data, meta } };
}

describe('DELETE /api/v1/companies/watched', () => {
  test('200 tells removed, not found and not watched apart, as they were written', async () => {
    const submitter = await createSubmitter(database, api);
    await submitter.add('NIP', bakery, zoo);
    const identifier_value = ['100-020-10-06', bakery, adviser, '1000205004'];
    expect(await submitter.ask(path, { identifier_type: 'NIP', identifier_value })).toEqual(
      answered({ removed: ['100-020-10-06'], not_watched: [adviser], not_found: ['1000205004'] }),
    );
    expect(await submitter.list()).toEqual([expect.stringMatching(`^NIP ${zoo} ready`)]);
  });

  test('200 with the other spelling, and with both', async () => {
    const submitter = await createSubmitter(database, api);
    await submitter.add('NIP', bakery, zoo);
    const other = { name: 'NIP', value: [bakery, '100-140-10-03', zoo] };
    const gone = await submitter.ask(path, { name: 'NIP', value: [bakery] });
    expect(gone).toEqual(answered({ removed: [bakery] }));
    const both = { identifier_type: 'NIP', identifier_value: [zoo, bakery], ...other };
    expect(await submitter.ask(path, both)).toEqual(
      answered({ removed: [zoo], not_watched: [bakery] }),
    );
    expect(await submitter.list()).toEqual([]);
  });

  test('200 for one that is waited for; the submission is settled when none is left', async () => {
    const submitter = await createSubmitter(database, api);
    await submitter.add('KRS', '0000000017');
    await submitter.add('NIP', bakery, '1000205004');
    const gone = { identifier_type: 'KRS', identifier_value: ['0000000017'] };
    expect(await submitter.ask(path, gone)).toEqual(answered({ removed: ['0000000017'] }));
    // No mail is written for the submission, because its only company was removed from the watch list.
    expect(await submitter.mails()).toEqual([]);
    expect(await submitter.ask(path, gone)).toEqual(answered({ not_found: ['0000000017'] }));
    await submitter.ask(path, { identifier_type: 'NIP', identifier_value: ['1000205004'] });
    expect(await submitter.mails()).toMatchObject([
      { data: { ready: [{ identifier_value: bakery }], failed: [], removed_count: 1 } },
    ]);
    const { rowCount } = await database.pool.query(
      'select from customer.submission where account_id = $1 and settled_at is null',
      [submitter.account_id],
    );
    expect(rowCount).toBe(0);
  });

  test('200 a company that is added again starts afresh', async () => {
    const submitter = await createSubmitter(database, api);
    await submitter.add('NIP', bakery);
    await database.pool.query(
      `update customer.watch set events_count = 3, last_event_at = now(),
        has_custom_settings = true, alerts_enabled = true, notify_via_email = true,
        alert_min_severity = 'info'
      where account_id = $1`,
      [submitter.account_id],
    );
    await submitter.ask(path, { name: 'NIP', value: [bakery] });
    await submitter.add('NIP', bakery);
    expect(await submitter.ask('GET /companies/watched')).toMatchObject({
      body: { data: [{ events_count: 0, last_event_at: null, has_custom_settings: false }] },
    });
  });

  test('200 leaves the lists of others alone', async () => {
    const submitter = await createSubmitter(database, api);
    const stranger = await createSubmitter(database, api);
    await submitter.add('NIP', bakery, '1000205004');
    const body = { identifier_type: 'NIP', identifier_value: [bakery, '1000205004'] };
    expect(await stranger.ask(path, body)).toEqual(
      answered({ not_watched: [bakery], not_found: ['1000205004'] }),
    );
    expect(await submitter.list()).toHaveLength(2);
  });

  test('200 for removals and additions that come at once', async () => {
    const submitter = await createSubmitter(database, api);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        at % 2 === 0
          ? submitter.add('NIP', bakery, zoo, adviser)
          : submitter.ask(path, { name: 'NIP', value: [adviser, zoo, bakery] }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 202]));
    const listed = (await submitter.list()).length;
    expect([0, 3]).toContain(listed);
  });
});

describe('DELETE /api/v1/companies/watched with what is wrong', () => {
  let submitter: Submitter;
  beforeAll(async () => {
    submitter = await createSubmitter(database, api);
    await submitter.add('NIP', bakery);
  });
  const list = [bakery];
  const differs = 'must say the same as identifier_value, and name the same as identifier_type.';

  test.each<[object, Record<string, string>]>([
    [{}, { identifier_type: 'is required.', identifier_value: 'is required.' }],
    [{ name: 'NIP' }, { value: 'is required with name.' }],
    [{ value: list }, { name: 'is required with value.' }],
    [
      { identifier_type: 'NIP', value: list },
      { identifier_value: 'is required with identifier_type.', name: 'is required with value.' },
    ],
    [
      { identifier_type: 'NIP', identifier_value: list, name: 'NIP' },
      { value: 'is required with name.' },
    ],
    [
      { identifier_type: 'NIP', identifier_value: list, name: 'NIP', value: [bakery, zoo] },
      { value: differs },
    ],
    [
      { identifier_type: 'NIP', identifier_value: list, name: 'KRS', value: list },
      { value: differs },
    ],
    [
      { name: 'NIP', value: [bakery, '1000201007'] },
      { 'value.1': 'must be a NIP: ten digits, the last of which is the check digit.' },
    ],
    [
      { name: 'NIP', value: Array.from({ length: 101 }, () => bakery) },
      { value: 'must not have more than 100 items.' },
    ],
    [{ name: 'NIP', value: list, all: true }, { all: 'is unknown.' }],
  ])('422 for %j', async (body, errors) => {
    const answer = await submitter.ask(path, body);
    expect(answer).toMatchObject({ status: 422 });
    expect((answer.body as { errors: object }).errors).toEqual(refusals(errors));
  });

  test('removes nothing', async () => {
    expect(await submitter.list()).toHaveLength(1);
  });
});
