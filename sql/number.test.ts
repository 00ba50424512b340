import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../fixtures/database/test-database.ts';

const db = await createTestDatabase();

/** Returns those of the given values that can be numbers of the type. */
async function take(type: string, numbers: string[]): Promise<string[]> {
  const { rows } = await db.pool.query<{ number: string }>(
    'select number from unnest($2::text[]) as number where registry.is_number($1, number)',
    [type, numbers],
  );
  return rows.map(({ number }) => number);
}

describe('a number of a type', () => {
  test.each([
    ['NIP', ['1000201006'], ['1000201007', '0000000000', '100020100', '10002010061', '']],
    ['REGON9', ['990200011', '123456785'], ['990200012', '000000000', '99020001', 'A90200011']],
    ['KRS', ['0000990002'], ['0000000000', '000099000', '00009900021', '000099000A']],
    ['SIREN', ['732829320', '356000000'], ['732829321', '000000000', '73282932', '7328293200']],
    [
      'SIRET',
      // The check digit of a SIRET with the SIREN of La Poste (356000000) is not checked.
      ['73282932000074', '35600000000048', '35600000049837', '35600000012345'],
      ['73282932000075', '73282932100073', '00000000000000', '7328293200007', '35600001000000'],
    ],
    // The RNA prefixes of Corsica and of the overseas territories contain a letter.
    [
      'RNA',
      ['W751000001', 'W2A1000034', 'W9R4005678'],
      ['W75100001', 'W7510000011', 'w751000001', '751000001'],
    ],
  ])('%s has its form and check digit', async (type, right, wrong) => {
    expect(await take(type, [...right, ...wrong])).toEqual(right);
  });

  test('that no country has is neither right nor wrong', async () => {
    const { rows } = await db.pool.query(`select registry.is_number('VAT', '1') as answer`);
    expect(rows).toEqual([{ answer: null }]);
  });

  test('passes the pattern that its country documents where it passes the check', async () => {
    const { rows } = await db.pool.query(
      `select identifier_type
       from registry.identifier_type
       cross join unnest(
         '{1000201006, 990200011, 0000990002, 732829320, 73282932000074, W751000001}'::text[]
       ) as number
       where registry.is_number(identifier_type, number) and number !~ pattern`,
    );
    expect(rows).toEqual([]);
  });

  test('is shown with the rank of its dictionary, and the first one names the company', async () => {
    const { rows } = await db.pool.query(
      `select registry.shown_numbers(company) = shown.numbers as is_same,
         registry.identifier_type(company) as type, registry.primary_identifier(company) as number
       from jsonb_populate_recordset(null::registry.company, $1) as company
       cross join lateral (
         select jsonb_agg(jsonb_build_object('type', type, 'value', value, 'rank', rank) order by rank)
           as numbers
         from jsonb_each_text(
           jsonb_build_object('NIP', company.nip, 'REGON9', company.regon9, 'KRS', company.krs)
           || coalesce(company.numbers, '{}')
         ) as number (type, value)
         join registry.identifier_type on identifier_type = type
         where value is not null
       ) as shown`,
      [
        JSON.stringify([
          { country_code: 'PL', nip: '1000201006', regon9: '990200011', krs: '0000990002' },
          { country_code: 'PL', regon9: '990200011', krs: '0000990002' },
          { country_code: 'FR', numbers: { RNA: 'W751000001', SIREN: '732829320' } },
        ]),
      ],
    );
    expect(rows).toEqual([
      { is_same: true, type: 'NIP', number: '1000201006' },
      { is_same: true, type: 'REGON9', number: '990200011' },
      { is_same: true, type: 'SIREN', number: '732829320' },
    ]);
  });
});
