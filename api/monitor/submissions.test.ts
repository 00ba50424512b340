import { describe, expect, test } from 'vitest';
import { refusals } from '../../fixtures/client/json-client.ts';
import { createSubmitter, type Submitter } from '../../fixtures/client/submitter.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { createFirstDay } from '../../fixtures/dump/night.ts';

const { database, api } = await useApi(
  { now: () => new Date('2026-11-20T10:05:00.123Z') },
  createFirstDay,
);

const [bakery, krs] = ['1000201006', '0000000017'];
const name = 'Piekarnia Pod Wieżą Anna Żakowska';
const { rows } = await database.pool.query<{ ref: string }>(
  'select company_id as ref from registry.company where nip = $1',
  [bakery],
);
const { ref } = rows[0]!;
const ofNip = { identifier_type: 'NIP', identifier_value: bakery };
const ofKrs = { identifier_type: 'KRS', identifier_value: krs };

const item = {
  identifier_type: null,
  identifier_value: null,
  company_ref: null,
  name: null,
  reference: null,
  code: null,
  failure: null,
};
const ready = { ...item, company_ref: ref, name };
const unknown = {
  ...item,
  company_ref: '99999',
  code: 'unknown_company',
  failure: 'No company has this reference',
};

interface Added {
  message: string;
  data: { submission_ref: string };
}

async function add(submitter: Submitter, ...identifiers: object[]): Promise<Added> {
  const { status, body } = await submitter.ask('POST /companies/add', { identifiers });
  expect(status).toBe(202);
  return body as Added;
}

function read(submitter: Submitter, { data }: Added) {
  return submitter.ask(`GET /companies/submissions/${data.submission_ref}`);
}

/** Returns the `reference` of each company on the watch list, the newest company first. */
async function references(submitter: Submitter, query = ''): Promise<unknown[]> {
  const { body } = await submitter.ask(`GET /companies/watched${query}`);
  const { data, meta } = body as { data: { reference: unknown }[]; meta: { total: number } };
  expect(meta.total).toBe(data.length);
  return data.map(({ reference }) => reference);
}

describe('a submission of mixed identifiers', () => {
  test('names what became of each, at once and later, and keeps it when a watch is gone', async () => {
    const submitter = await createSubmitter(database, api);
    const added = await add(
      submitter,
      { company_ref: ref, reference: 'Supplier 17' },
      { ...ofKrs, identifier_value: '0000-000-017', reference: 'Zażółć 🐢' },
      { company_ref: '99999' },
      { company_ref: 'no reference' },
      { identifier_type: 'REGON9', identifier_value: '991800026' },
    );
    const regon = { identifier_type: 'REGON9', identifier_value: '991800026' };
    const data = {
      submission_ref: expect.stringMatching(/^[\da-f-]{36}$/),
      state: 'open',
      submitted_at: '2026-11-20T10:05:00+00:00',
      settled_at: null,
      ready: [
        { ...ready, reference: 'Supplier 17' },
        { ...item, ...regon, company_ref: expect.any(String), name: 'Pasieka Barć Józef Trutnik' },
      ],
      queued: [{ ...item, ...ofKrs, reference: 'Zażółć 🐢' }],
      failed: [unknown, { ...unknown, company_ref: 'no reference' }],
      removed: [],
    };
    const message =
      '2 of 5 companies ready. 1 is not known yet and will be imported. 2 are unknown. An e-mail confirms when all are settled.';
    expect(added).toEqual({ success: true, message, data });
    expect(await read(submitter, added)).toEqual({ status: 200, body: { success: true, data } });
    expect(await references(submitter)).toEqual([null, 'Zażółć 🐢', 'Supplier 17']);

    await database.pool.query(`select customer.advance_watches('2026-11-27T10:05:01Z')`);
    const late = { code: 'unreported', failure: expect.stringContaining('within 7 days') };
    const settled = {
      ...data,
      state: 'settled',
      settled_at: '2026-11-27T10:05:01+00:00',
      queued: [],
      failed: [{ ...data.queued[0], ...late }, ...data.failed],
    };
    expect(await read(submitter, added)).toMatchObject({ body: { data: settled } });
    expect(await submitter.mails()).toMatchObject([
      { data: { ready: [{ reference: 'Supplier 17' }, {}], failed: [{}, {}, {}] } },
    ]);
    // A number whose import failed is queued again by a further submission.
    const again = await add(submitter, ofKrs);
    expect(again).toMatchObject({ data: { state: 'open', queued: [ofKrs] } });
    await submitter.ask('DELETE /companies/watched', { identifiers: [ofNip, ofKrs] });
    expect(await read(submitter, added)).toMatchObject({
      body: {
        data: {
          ...settled,
          ready: [{}],
          removed: [{ ...item, company_ref: ref, reference: 'Supplier 17' }],
        },
      },
    });
    expect(await read(submitter, again)).toMatchObject({
      body: { data: { state: 'settled', queued: [], removed: [ofKrs] } },
    });
    expect(await submitter.mails()).toHaveLength(1);
  });

  test('is settled without a mail when it added nothing, also of unknown companies alone', async () => {
    const submitter = await createSubmitter(database, api);
    const nothing = await add(submitter, { company_ref: '99999' });
    expect(nothing).toMatchObject({
      message: '0 of 1 company ready. 1 is unknown. Nothing new is on the list.',
      data: { state: 'settled', ready: [], queued: [], failed: [unknown] },
    });
    await submitter.add('NIP', bakery);
    expect(await add(submitter, ofNip)).toMatchObject({
      data: { state: 'settled', ready: [ofNip] },
    });
    expect(await submitter.mails()).toHaveLength(1);
    const stranger = await createSubmitter(database, api);
    expect(await read(stranger, nothing)).toMatchObject({ status: 404 });
    expect(await read(submitter, { ...nothing, data: { submission_ref: 'x' } })).toMatchObject({
      status: 404,
    });
  });

  test('updates a reference with a later one, deletes it with an empty one, and else keeps it', async () => {
    const submitter = await createSubmitter(database, api);
    const steps: [unknown, ...object[]][] = [
      ['A', { ...ofNip, reference: 'A' }],
      ['A', ofNip],
      // When a submission names one company twice, the last `reference` is stored.
      ['C', { ...ofNip, reference: 'B' }, { company_ref: ref, reference: 'C' }],
      ['C', { ...ofNip, reference: 'C' }, { ...ofNip, identifier_value: '100-020-10-06' }],
      ['C', { ...ofNip, reference: null }],
      [null, { company_ref: ref, reference: '' }],
    ];
    for (const [expected, ...identifiers] of steps) {
      await add(submitter, ...identifiers);
      expect(await references(submitter)).toEqual([expected]);
    }
    await add(submitter, ofKrs);
    await add(submitter, { ...ofKrs, reference: 'D' });
    expect(await references(submitter)).toEqual(['D', null]);
  });

  test('of a hundred companies with long references fits into a body', async () => {
    const submitter = await createSubmitter(database, api);
    const identifiers = Array.from({ length: 100 }, (_, at) => ({
      identifier_type: 'KRS',
      identifier_value: String(at + 1).padStart(10, '0'),
      reference: 'ż'.repeat(64),
    }));
    const body = JSON.stringify({ identifiers }).replaceAll('ż', String.raw`\u017c`);
    const answer = await submitter.ask('POST /companies/add', body);
    expect(answer).toMatchObject({ status: 202, body: { data: { queued: { length: 100 } } } });
  });
});

describe('a list of identifiers is refused', () => {
  const control = 'must not contain control characters or direction marks.';
  const long = 'must not be longer than 64 characters.';
  const identifiers = (...items: unknown[]) => ({ identifiers: items });
  const named = (reference: unknown) => identifiers({ ...ofNip, reference });

  test.each<[string, object, Record<string, string>]>([
    ['with a line break', named('a\r\nBcc: a@b.example'), { 'identifiers.0.reference': control }],
    ['with an escape', named('\u001b[2J'), { 'identifiers.0.reference': control }],
    ['with a turn of direction', named('gpj\u202Eexe'), { 'identifiers.0.reference': control }],
    ['with a line separator', named('a\u2028b'), { 'identifiers.0.reference': control }],
    ['with 10,000 characters', named('x'.repeat(10_000)), { 'identifiers.0.reference': long }],
    ['with 65 turtles', named('🐢'.repeat(65)), { 'identifiers.0.reference': long }],
    ['with no text', named(17), { 'identifiers.0.reference': 'must be a string.' }],
    ['empty', identifiers(), { identifiers: 'must have at least 1 item.' }],
    [
      'with a number alone',
      identifiers({ identifier_value: bakery }),
      { 'identifiers.0.identifier_type': 'is required.' },
    ],
    [
      'with nothing',
      identifiers({}, null),
      {
        'identifiers.0.identifier_type': 'is required.',
        'identifiers.0.identifier_value': 'is required.',
        'identifiers.1': 'must be an object.',
      },
    ],
    [
      'with two names',
      identifiers({ ...ofNip, company_ref: ref }),
      { 'identifiers.0.company_ref': 'must be given without a number.' },
    ],
    [
      'with a wrong number',
      identifiers(ofKrs, { ...ofNip, identifier_value: '1' }),
      {
        'identifiers.1.identifier_value':
          'must be a NIP: ten digits, the last of which is the check digit.',
      },
    ],
    [
      'beside a number',
      { ...identifiers(ofNip), identifier_type: 'NIP' },
      { identifiers: 'must be given without identifier_type.' },
    ],
  ])('%s', async (_name, body, errors) => {
    const submitter = await createSubmitter(database, api);
    const { status, body: refused } = await submitter.ask('POST /companies/add', body);
    expect([status, (refused as { errors: object }).errors]).toEqual([422, refusals(errors)]);
    expect(await submitter.list()).toEqual([]);
  });
});

describe('the watch list', () => {
  test('is filtered by state, number, company and reference', async () => {
    const submitter = await createSubmitter(database, api);
    await add(
      submitter,
      { company_ref: ref, reference: 'bakery' },
      { ...ofKrs, reference: 'waits' },
      { identifier_type: 'NIP', identifier_value: '1001401003' },
    );
    const cases: [query: string, found: unknown[]][] = [
      ['state=queued', ['waits']],
      ['state=ready,queued', [null, 'waits', 'bakery']],
      ['state=failed', []],
      [`identifier_type=NIP&identifier_value=100-020-10-06`, ['bakery']],
      [`identifier_type=KRS&identifier_value=${krs}`, ['waits']],
      ['identifier_type=NIP&identifier_value=1001403002', []],
      [`company_ref=${ref}`, ['bakery']],
      ['company_ref=99999', []],
      ['reference=bakery', ['bakery']],
      ['reference=bak', []],
      ['reference=', [null]],
      [`reference=bakery&state=queued`, []],
    ];
    for (const [query, found] of cases) {
      expect([query, await references(submitter, `?${query}`)]).toEqual([query, found]);
    }
    expect(await references(await createSubmitter(database, api), '?reference=bakery')).toEqual([]);
  });

  test.each([
    ['state=waiting', 'state'],
    ['identifier_type=NIP', 'identifier_value'],
    ['identifier_type=NIP&identifier_value=1', 'identifier_value'],
    [`identifier_type=NIP&identifier_value=${bakery}&company_ref=1`, 'company_ref'],
    ['reference=%00', 'reference'],
  ])('422 for ?%s', async (query, field) => {
    const submitter = await createSubmitter(database, api);
    const { status, body } = await submitter.ask(`GET /companies/watched?${query}`);
    expect([status, Object.keys((body as { errors: object }).errors)]).toEqual([422, [field]]);
  });

  test('loses companies by identifiers of mixed kinds', async () => {
    const submitter = await createSubmitter(database, api);
    await add(submitter, ofNip, ofKrs, { identifier_type: 'NIP', identifier_value: '1001401003' });
    const identifiers = [
      { company_ref: ref },
      { ...ofKrs, identifier_value: '0000 000017' },
      { identifier_type: 'REGON9', identifier_value: '991800026' },
      { company_ref: '99999' },
    ];
    expect(await submitter.ask('DELETE /companies/watched', { identifiers })).toMatchObject({
      status: 200,
      body: {
        data: {
          removed: [ref, krs],
          not_watched: ['991800026'],
          not_found: ['99999'],
        },
        meta: { total: 4, removed: 2, not_watched: 1, not_found: 1 },
      },
    });
    expect(await submitter.list()).toHaveLength(1);
    expect(
      await submitter.ask('DELETE /companies/watched', { name: 'NIP', identifiers }),
    ).toMatchObject({ status: 422 });
  });
});
