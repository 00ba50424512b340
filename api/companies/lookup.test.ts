import { expect, test } from 'vitest';
import { refusals } from '../../fixtures/client/json-client.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { createWatcher } from '../../fixtures/client/watcher.ts';
import { shareDays } from '../../fixtures/dump/night.ts';

const now = new Date('2026-11-07T06:00:00Z');
const { database, api } = await useApi({ now: () => now }, async () => (await shareDays()).copy());
const reader = await createWatcher(database, api);

interface Company {
  company_ref: string;
}

const nip = (identifier_value: string) => ({ identifier_type: 'NIP', identifier_value });

const lookUp = (...identifiers: unknown[]) => reader.ask('POST /companies/lookup', { identifiers });

async function find(...identifiers: unknown[]) {
  return ((await lookUp(...identifiers)).body as { data: Company[] }).data;
}

const bakery = {
  found: true,
  company_ref: expect.stringMatching(/^\d+$/),
  name: 'Piekarnia Pod Wieżą Anna Żakowska',
  status: 'ACTIVE',
  identifiers: [
    { type: 'NIP', value: '1000201006' },
    { type: 'REGON9', value: '990200011' },
  ],
  is_watched: true,
};
const nobody = {
  found: false,
  company_ref: null,
  name: null,
  status: null,
  identifiers: [],
  is_watched: false,
};

test('200 answers numbers and references in the order asked, repeated ones too, free of charge', async () => {
  await reader.watch('1000201006');
  const [{ company_ref } = { company_ref: '' }] = await find(nip('1000201006'));
  const data = await find(
    nip('526-025-02-74'),
    { company_ref },
    { identifier_type: 'REGON9', identifier_value: '990 200 011' },
    nip('1001201008'),
    ...['0', '4711000', '-1', 'x', '99999999999999999999'].map((ref) => ({ company_ref: ref })),
    nip('1000201006'),
  );
  expect(data).toEqual([
    nobody,
    bakery,
    bakery,
    expect.objectContaining({ found: true, status: 'DELETED', is_watched: false }),
    ...Array.from({ length: 5 }, () => nobody),
    bakery,
  ]);
  expect(await reader.read('/wallet')).toMatchObject({ data: { balance: 200 } });
});

test('200 shows of a company what its snapshot shows, and no name where the owner objects', async () => {
  await database.pool.query(`
    with hidden as (
      update registry.entry set is_partial = true where nip = '1001002007' returning company_id
    )
    select registry.refresh_companies(array(select company_id from hidden))`);
  await database.pool.query(`
    select registry.refresh_companies(array_agg(company_id))
    from registry.entry where nip = '1001002007'`);
  const [hidden] = await find(nip('1001002007'));
  const numbers = [{ type: 'NIP', value: '1001002007' }, expect.anything()];
  expect(hidden).toEqual({
    ...bakery,
    name: '',
    status: 'SUSPENDED',
    identifiers: numbers,
    is_watched: false,
  });
});

const form = 'must be a NIP: ten digits, the last of which is the check digit.';
const ref = { company_ref: '1' };

test.each<[name: string, identifiers: unknown, wrong: Record<string, string>]>([
  [
    'wrong numbers, by their place',
    [nip('1000201006'), nip('1000201007'), ref, nip('1')],
    { 'identifiers.3.identifier_value': form, 'identifiers.1.identifier_value': form },
  ],
  [
    'items that name no company, or two',
    [{}, { identifier_type: 'NIP' }, { ...nip('1000201006'), ...ref }, { ...ref, reference: 'a' }],
    {
      'identifiers.0.identifier_type': 'is required.',
      'identifiers.0.identifier_value': 'is required.',
      'identifiers.1.identifier_value': 'is required.',
      'identifiers.2.company_ref': 'must be given without a number.',
      'identifiers.3.reference': 'is unknown.',
    },
  ],
  [
    'an unknown type',
    [{ identifier_type: 'PESEL', identifier_value: '44051401359' }],
    { 'identifiers.0.identifier_type': 'must be one of NIP, REGON9, KRS, SIREN, SIRET, RNA.' },
  ],
  [
    'what is no company',
    [7, null],
    { 'identifiers.0': 'must be an object.', 'identifiers.1': 'must be an object.' },
  ],
  ['an empty list', [], { identifiers: 'must have at least 1 item.' }],
  ['no list', nip('1000201006'), { identifiers: 'must be a list.' }],
  [
    '101 companies',
    Array.from({ length: 101 }, () => ref),
    { identifiers: 'must not have more than 100 items.' },
  ],
])('422 for %s', async (_name, identifiers, wrong) => {
  const { status, body } = await reader.ask('POST /companies/lookup', { identifiers });
  expect([status, (body as { errors: unknown }).errors]).toEqual([422, refusals(wrong)]);
});

test('429 beyond 30 lookups a minute or 200 a day of an account: no client lists a country by its numbers', async () => {
  const eager = await createWatcher(database, api);
  const ask = () => eager.ask('POST /companies/lookup', { identifiers: [ref] });
  const answers = await Promise.all(Array.from({ length: 31 }, ask));
  expect(answers.filter(({ status }) => status === 429)).toEqual([
    { status: 429, body: { message: 'An account has at most 30 lookups a minute.' } },
  ]);
  const patient = await createWatcher(database, api);
  await database.pool.query(
    `insert into customer.rate_limit values ('lookups-day:' || $1, 199, '2026-11-08T00:00:00Z')`,
    [patient.account_id],
  );
  const asked = () => patient.ask('POST /companies/lookup', { identifiers: [ref] });
  expect((await asked()).status).toBe(200);
  expect(await asked()).toEqual({
    status: 429,
    body: { message: 'An account has at most 200 lookups a day.' },
  });
});
