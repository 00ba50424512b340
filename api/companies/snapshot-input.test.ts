import { describe, expect, test } from 'vitest';
import { createFirstDay } from '../../fixtures/dump/night.ts';
import { createSearcher, readMovements } from '../../fixtures/client/searcher.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const { database, api } = await useApi({}, createFirstDay);
const searcher = await createSearcher(database.kysely, api, 10_000);

function nip(identifier_value: string) {
  return { identifier_type: 'NIP', identifier_value };
}

type Found = { data: { results: [{ company_ref: string }] } };

describe('POST /api/v1/companies/snapshot', () => {
  test('404 for a number that nobody has, free of charge', async () => {
    const stranger = await createSearcher(database.kysely, api);
    for (const asked of [
      nip('5260250274'),
      { identifier_type: 'KRS', identifier_value: '0000000001' },
    ]) {
      expect(await stranger.snapshot(asked)).toMatchObject({
        status: 404,
        body: { message: 'No company with this number is known.' },
        charged: null,
      });
    }
    expect(await readMovements(database.kysely, stranger.account_id)).toHaveLength(1);
  });

  test('200 for a company by its reference, also for one without any number', async () => {
    const found = await searcher.search('?name=ludwik%20bezimienny');
    const [{ company_ref }] = (found.body as Found).data.results;
    expect(await searcher.snapshot({ company_ref })).toMatchObject({
      status: 200,
      body: { data: { profiles: [{ name: 'Ludwik Bezimienny' }] } },
      charged: '5',
    });
    expect(await readMovements(database.kysely, searcher.account_id)).toContainEqual([
      'withdraw',
      5,
      expect.any(Number),
      `Snapshot of company ${company_ref}`,
    ]);
    for (const wrong of ['0', '99999999999999999999', 'x', '4711000']) {
      expect(await searcher.snapshot({ company_ref: wrong })).toMatchObject({ status: 404 });
    }
  });

  const invalidNip =
    'The identifier_value field must be a NIP: ten digits, the last of which is the check digit.';
  const invalidRegon =
    'The identifier_value field must be a REGON of nine digits, the last of which is the check digit.';
  test.each([
    [nip('1001401004'), 'identifier_value', invalidNip],
    [nip('0000000000'), 'identifier_value', invalidNip],
    [nip('100140100'), 'identifier_value', invalidNip],
    [nip('PL1001401003'), 'identifier_value', invalidNip],
    [nip(''), 'identifier_value', invalidNip],
    [
      nip('1'.repeat(51)),
      'identifier_value',
      'The identifier_value field must not be longer than 50 characters.',
    ],
    [
      { identifier_type: 'REGON9', identifier_value: '99140001900015' },
      'identifier_value',
      invalidRegon,
    ],
    [
      { identifier_type: 'KRS', identifier_value: '1' },
      'identifier_value',
      'The identifier_value field must be a KRS number: ten digits, leading zeros included.',
    ],
    [
      { identifier_type: 'nip', identifier_value: '1001401003' },
      'identifier_type',
      'The identifier_type field must be one of NIP, REGON9, KRS, SIREN, SIRET, RNA.',
    ],
    [
      { identifier_value: '1001401003' },
      'identifier_type',
      'The identifier_type field is required.',
    ],
    [{ identifier_type: 'NIP' }, 'identifier_value', 'The identifier_value field is required.'],
    [
      { identifier_type: 'NIP', identifier_value: ['1001401003'] },
      'identifier_value',
      'The identifier_value field must be a string.',
    ],
    [
      { ...nip('1001401003'), company_ref: '1' },
      'company_ref',
      'The company_ref field must be given without a number.',
    ],
    [{ ...nip('1001401003'), fields: 'all' }, 'fields', 'The fields field is unknown.'],
  ])('422 for %j', async (asked, field, message) => {
    expect(await searcher.snapshot(asked)).toMatchObject({
      status: 422,
      body: { message, errors: { [field]: [message] } },
      charged: null,
    });
  });
});
