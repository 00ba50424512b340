import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import {
  header,
  makeFolder,
  makeRow,
  withFields,
  writeReports,
} from '../../fixtures/dump/bad-dump.ts';
import { runDump } from '../../fixtures/dump/night.ts';
import { runFrench } from '../../fixtures/dump/other-country.ts';
import { readEvents } from '../../fixtures/dump/regon-day.ts';
import { Refusal, WrongUsage } from '../errors.ts';
import { forgetPerson } from '../console/person.ts';
import { loadSource } from '../sources/source.ts';
import { verify } from './verify.ts';

const days = ['2026-11-02', '2026-11-03', '2026-11-04', '2026-11-05'] as const;

/** A number that is a valid SIREN in France and a valid REGON in Poland. */
const shared = '123456785';
const bakery = '732829320';
const club = '552100554';
/** The SIREN of a unit in the test. The product accepts this SIREN, although the check digit is wrong. */
const odd = '123456789';
/** A row of CEIDG whose REGON equals the SIREN of a French company. */
const polishRow = withFields(makeRow(1), { Regon: shared });

const db = await createTestDatabase();

async function find(type: string, number: string): Promise<string | null> {
  const { rows } = await db.pool.query<{ name: string | null }>(
    `select company.name
     from registry.find_company($1, $2) as company_id
     left join registry.company using (company_id)`,
    [type, number],
  );
  return rows[0]!.name;
}

async function publishPolish(target: TestDatabase, lines: string[], source = 'ceidg') {
  const folder = await makeFolder();
  await writeReports(folder, { opolskie: [header, ...lines] });
  const description = { ...(await loadSource('ceidg')), name: source, country_code: 'FR' };
  return runDump(target, folder, days[0], source === 'ceidg' ? {} : { source, description });
}

describe('the numbers of another country', () => {
  test('name its companies, and no record is rejected for a check digit that is wrong', async () => {
    await publishPolish(db, [polishRow]);
    const units = [
      { siren: bakery, siret: `${bakery}00074`, name: 'Boulangerie' },
      { siren: club, rna: 'W751000001', name: 'Club' },
      { siren: odd, name: 'Impair' },
      { siren: shared, name: 'Homonyme' },
    ];
    expect(await runFrench(db, days[0], units)).toMatchObject({ read: 4, rejected: 0, entries: 4 });
    const { rows } = await db.pool.query(
      `select concat_ws(' ', name, nip, registry.identifier_type(company),
         registry.primary_identifier(company)) as shown, numbers
       from registry.company where country_code = 'FR' order by name`,
    );
    expect(rows).toEqual([
      { shown: `Boulangerie SIREN ${bakery}`, numbers: { SIREN: bakery } },
      { shown: `Club SIREN ${club}`, numbers: { SIREN: club, RNA: 'W751000001' } },
      { shown: `Homonyme SIREN ${shared}`, numbers: { SIREN: shared } },
      { shown: `Impair SIREN ${odd}`, numbers: { SIREN: odd } },
    ]);
  });

  test('find the company, a SIRET by the SIREN that it begins with, and none of another country', async () => {
    expect(await find('SIREN', bakery)).toBe('Boulangerie');
    expect(await find('SIRET', `${bakery}00074`)).toBe('Boulangerie');
    // The SIRET begins with a known SIREN, but INSEE has never issued this SIRET.
    expect(await find('SIRET', `${bakery}99999`)).toBeNull();
    expect(await find('RNA', 'W751000001')).toBe('Club');
    expect(await find('SIREN', shared)).toBe('Homonyme');
    expect(await find('REGON9', shared)).not.toBe('Homonyme');
    expect(await find('REGON9', shared)).not.toBeNull();
    expect(await find('REGON9', bakery)).toBeNull();
    expect(await find('RNA', 'W751000009')).toBeNull();
    expect(await find('NUMBER', bakery)).toBeNull();
  });

  test('are shown with an entry in the order of the dictionary', async () => {
    const { rows } = await db.pool.query<{ numbers: object }>(
      `select registry.shown_numbers(entry) as numbers from registry.entry
       where entry_key = any($1) order by entry_key, country_code desc`,
      [[bakery, club, shared]],
    );
    const number = (type: string, value: unknown, rank: number) => ({ type, value, rank });
    expect(rows.map(({ numbers }) => numbers)).toEqual([
      [number('NIP', expect.any(String), 1), number('REGON9', shared, 2)],
      [number('SIREN', shared, 1)],
      [number('SIREN', club, 1), number('RNA', 'W751000001', 3)],
      [number('SIREN', bakery, 1), number('SIRET', `${bakery}00074`, 2)],
    ]);
  });

  test('make events by their dictionary when they come and change: RNA does, SIRET does not', async () => {
    const units = [
      { siren: bakery, siret: `${bakery}00082`, name: 'Boulangerie' },
      { siren: club, rna: 'W751000002', name: 'Club' },
      { siren: odd, rna: 'W751000003', name: 'Impair' },
      { siren: shared, name: 'Homonyme' },
    ];
    await runFrench(db, days[1], units);
    expect(await readEvents(db, days[1])).toEqual([
      'COMPANY_REGISTRY_NUMBER_ASSIGNED:  → W751000003',
      'COMPANY_REGISTRY_NUMBER_CHANGED: W751000001 → W751000002',
      `COMPANY_UNIT_CLOSED: ${bakery}00074 Siège → `,
      `COMPANY_UNIT_OPENED:  → ${bakery}00082 Siège`,
    ]);
    expect(await verify(db, 'sirene')).toEqual([]);
  });

  test('that were given up still find the company', async () => {
    expect(await find('RNA', 'W751000001')).toBe('Club');
    expect(await find('RNA', 'W751000002')).toBe('Club');
    const { rows } = await db.pool.query('select identifier_type from registry.past_number');
    expect(rows).toEqual([{ identifier_type: 'RNA' }]);
  });

  test('link the entries of two registries when their type links, and only then', async () => {
    const units = [
      { siren: bakery, name: 'Boulangerie' },
      { siren: '443061841', rna: 'W751000002', name: 'Autre club' },
    ];
    await runFrench(db, days[1], units, { source: 'rne' });
    const { rows } = await db.pool.query<{ sources: string }>(
      `select string_agg(source, ' ' order by source) as sources from registry.entry
       where country_code = 'FR' group by company_id order by 1, company_id`,
    );
    expect(rows.map(({ sources }) => sources)).toEqual([
      'rne',
      'rne sirene',
      ...Array<string>(3).fill('sirene'),
    ]);
    expect(await verify(db, 'rne')).toEqual([]);
  });

  test('beside the key link too where the dictionary says so, within a night and with what is known', async () => {
    await db.pool.query(
      `update registry.identifier_type set links = true where identifier_type = 'RNA'`,
    );
    const units = [
      { siren: bakery, name: 'Boulangerie' },
      { siren: '443061841', rna: 'W751000002', name: 'Club renommé' },
      { siren: '900000001', rna: 'W751000008', name: 'Un' },
      { siren: '900000002', rna: 'W751000008', name: 'Deux' },
      { siren: '900000003', rna: 'W751000009', name: 'Trois' },
    ];
    await runFrench(db, days[2], units, { source: 'rne' });
    const { rows } = await db.pool.query<{ keys: string }>(
      `select string_agg(entry_key, ' ' order by entry_key) as keys from registry.entry
       where country_code = 'FR' group by company_id having count(*) > 1 order by 1`,
    );
    expect(rows.map(({ keys }) => keys)).toEqual([
      `443061841 ${club}`,
      `${bakery} ${bakery}`,
      '900000001 900000002',
    ]);
    expect(await verify(db, 'rne')).toEqual([]);
  });

  test('that name persons of two countries forget the one whose registry is given', async () => {
    const request = { wanted: shared, reason: 'Art. 17', by: 'a letter', now: new Date() };
    const told = `'${shared}' names persons of FR and PL: choose one with --source`;
    await expect(forgetPerson(db, request, tmpdir())).rejects.toThrow(new WrongUsage(told));
    const forgotten = await forgetPerson(db, { ...request, source: 'sirene' }, tmpdir());
    expect(forgotten.entry_count).toBe(1);
    const units = [
      { siren: bakery, siret: `${bakery}00082`, name: 'Boulangerie' },
      { siren: club, rna: 'W751000002', name: 'Club' },
      { siren: odd, rna: 'W751000003', name: 'Impair' },
      { siren: shared, name: 'Homonyme renommé' },
    ];
    expect(await runFrench(db, days[2], units)).toMatchObject({ new: 0, deleted: 0, events: 0 });
    expect(await find('SIREN', shared)).toBeNull();
    expect(await find('REGON9', shared)).not.toBeNull();
    const { rows } = await db.pool.query(
      'select source, name from registry.entry where entry_key = $1 order by source',
      [shared],
    );
    expect(rows).toEqual([
      { source: 'ceidg', name: 'Usługi 1' },
      { source: 'sirene', name: null },
    ]);
    expect(await verify(db, 'sirene')).toEqual([]);
  });

  test('of equal columns link no companies of two countries', async () => {
    const target = await createTestDatabase();
    await publishPolish(target, [polishRow, makeRow(2)]);
    const french = [polishRow, makeRow(2)].map((row) => withFields(row, { RokPKD: '2008' }));
    await publishPolish(target, french, 'elsewhere');
    const { rows } = await target.pool.query<{ country_code: string }>(
      'select country_code from registry.company order by 1',
    );
    expect(rows.map(({ country_code }) => country_code).join()).toBe('FR,FR,PL,PL');
  });
});

describe('a source of full dumps and deltas', () => {
  const many = Array.from({ length: 60 }, (_, at) => ({ siren: String(900000000 + at) }));

  test('compares each dump with the last one of its kind', async () => {
    const target = await createTestDatabase();
    await runFrench(target, days[0], many);
    const changed = [{ siren: many[0]!.siren, name: 'Autre' }, { siren: '899999999' }];
    const delta = await runFrench(target, days[1], changed, { kind: 'delta' });
    expect(delta).toMatchObject({ new: 1, updated: 1, deleted: 0, entries: 61 });
    // The rows of this stock (61) must be compared with the previous stock (60), and not with yesterday's delta (two).
    const stock = [...many, { siren: '899999999' }];
    expect(await runFrench(target, days[2], stock)).toMatchObject({ updated: 1, deleted: 0 });
    const refused = await runFrench(target, days[3], many.slice(0, 30)).catch((error) => error);
    expect(refused).toBeInstanceOf(Refusal);
    expect((refused as Refusal).message).toContain('30 rows where there were 61 last time');
    const { rows } = await target.pool.query(
      'select dump_kind, state from registry.run order by run_id',
    );
    expect(rows.map(({ dump_kind, state }) => `${dump_kind} ${state}`).join()).toBe(
      'full published,delta published,full published,full refused',
    );
  });
});
