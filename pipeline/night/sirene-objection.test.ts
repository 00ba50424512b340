import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { views } from '../../api/downloads/views.ts';
import { askJson } from '../../fixtures/client/json-client.ts';
import { createSearcher } from '../../fixtures/client/searcher.ts';
import { startTestApi } from '../../fixtures/client/test-api.ts';
import { createReader } from '../../fixtures/client/watch.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import {
  type Duplicate,
  readEvents,
  runSirene,
  runUnits,
  type Units,
} from '../../fixtures/dump/sirene-night.ts';
import { type StockRow, withheldPlace, withheldUnit } from '../../fixtures/dump/sirene-stock.ts';
import { runCommand } from '../../fixtures/process/cli.ts';
import { findClearText } from '../../fixtures/registry/clear-text.ts';
import { verify } from './verify.ts';

const woman: StockRow = {
  categorieJuridiqueUniteLegale: '1000',
  denominationUniteLegale: '',
  sexeUniteLegale: 'F',
  prenom1UniteLegale: 'ZEPHIRINE',
  prenomUsuelUniteLegale: 'ZEPHIRINE',
  nomUniteLegale: 'QUINQUEMPOIX',
  pseudonymeUniteLegale: 'BELLE ZEPH',
  trancheEffectifsUniteLegale: '01',
};
const hidden = { ...woman, ...withheldUnit };
const home: StockRow = {
  libelleVoieEtablissement: 'DES OUBLIETTES',
  enseigne1Etablissement: 'AU BIHOREAU',
};
const quay: StockRow = { libelleVoieEtablissement: 'DU PORT', enseigne1Etablissement: 'AU QUAI' };
const closed: StockRow = { etatAdministratifEtablissement: 'F', dateDebut: '2026-10-15' };
const partial: StockRow = { statutDiffusionUniteLegale: 'P', sigleUniteLegale: '[ND]' };
const seatAt = (nicSiegeUniteLegale: string): StockRow => ({ nicSiegeUniteLegale });
const lilacs = 'RUE DES LILAS 7, 69003 LYON 3EME, Auvergne-Rhône-Alpes';

let token: string;

const db = await createTestDatabase();
const api = await startTestApi({ db: db.kysely });
const searcher = await createSearcher(db.kysely, api, 1000);

let nights = 0;
let today = '';
let updated = 0;

function nextDay(): string {
  nights += 1;
  today = new Date(Date.UTC(2026, 9, 30 + nights)).toISOString().slice(0, 10);
  return today;
}

/** Runs the night of the next day over the given units and an unchanged unit. @returns the events of the night */
async function night(units: Units, duplicates: Duplicate[] = []): Promise<string[]> {
  const summary = await runUnits(db, nextDay(), { ...units, '990900003': [] }, duplicates);
  updated = summary.updated;
  return readEvents(db, today);
}

/** Parts of the names and addresses of units whose owners object; no table may contain these parts. */
const clear = ['quinquempoix', 'oubliettes', 'au quai', 'du port', 'belle zeph', 'bihoreau'];

async function expectSilence(): Promise<void> {
  expect(await findClearText(db, '', clear)).toEqual([]);
  expect(await verify(db, 'sirene')).toEqual([]);
}

/** Returns, for each name, the number of companies that a search for this name finds. */
const findByName = (...names: string[]) =>
  Promise.all(
    names.map(async (name) => {
      const { body } = await searcher.search(`?country=FR&name=${name}`);
      return (body as { data: { total: number } }).data.total;
    }),
  );

async function readFeed(scope: string): Promise<string[]> {
  const { body } = await askJson(api, `GET /events/feed?scope=${scope}&country=FR`, { token });
  return (body as { data: Record<string, string>[] }).data.map(
    (event) => `${event.primary_identifier} ${event.event_type}`,
  );
}

describe('an owner who objects to be found', () => {
  const [person, company, neighbour, shy] = [
    '990100001',
    '990100019',
    '990100027',
    '990100035',
  ] as const;
  /** Runs a night of four units; `branch` has changed fields of the branch of the unit `company`. */
  const tonight = (unit: StockRow, seat: StockRow, branch: StockRow = {}) =>
    night({
      [person]: [unit, { '00012': seat }],
      [company]: [{}, { '00012': {}, '00020': { enseigne1Etablissement: 'AU QUAI', ...branch } }],
      [neighbour]: [],
      // The owner of the unit `shy` objects from the first night on, but the unit's row still has its street type.
      [shy]: [partial, { '00012': { ...withheldPlace, typeVoieEtablissement: 'AV' } }],
    });
  const readNames = async () => {
    const { rows } = await db.pool.query<object>(
      `select concat_ws(' ', entry_key, entry.status, entry.city, entry.street) as shown, entry.name,
         company.name as listed
       from registry.entry join registry.company using (company_id)
       where entry_key <> '990900003' order by entry_key`,
    );
    return rows;
  };
  const told = [
    `${person} COMPANY_ADDRESS_CHANGED`,
    `${person} COMPANY_NAME_CHANGED`,
    `${company} COMPANY_UNIT_CHANGED`,
  ];
  const branch = { ...withheldPlace, libelleCommuneEtablissement: 'LYON 3EME' };

  test('is told of until then, in events and mails too', async () => {
    await tonight(woman, home);
    ({ master_token: token } = await createReader(db, { severity: 'info' }));
    const married = { ...woman, nomUsageUniteLegale: 'QUINQUEMPOIX-LE BIHAN' };
    const moved = { ...home, numeroVoieEtablissement: '9' };
    const at = '69003 LYON 3EME, Auvergne-Rhône-Alpes';
    expect(await tonight(married, moved, { libelleVoieEtablissement: 'DU PORT' })).toEqual([
      `${told[0]}: RUE DES OUBLIETTES 7, ${at} → RUE DES OUBLIETTES 9, ${at}`,
      `${told[1]}: ZEPHIRINE QUINQUEMPOIX → ZEPHIRINE QUINQUEMPOIX-LE BIHAN`,
      `${told[2]}: ${company}00020 AU QUAI, ${lilacs} → ${company}00020 AU QUAI, RUE DU PORT 7, ${at}`,
    ]);
    const found = await findClearText(db, '', clear);
    expect(found).toEqual(expect.arrayContaining(['customer.mail', 'registry.event']));
    expect(await findByName('quinquempoix', 'zephirine', 'atelier')).toEqual([1, 1, 3]);
    expect(await readFeed('all')).toEqual(await readFeed('watched'));
  });

  test('leaves every table when the mark comes, without an event', async () => {
    const before = today;
    expect(await tonight(hidden, withheldPlace, branch)).toEqual([]);
    expect(await readEvents(db, before)).toEqual(told.map((event) => `${event}:  → `));
    await expectSilence();
  });

  test('keeps number, commune and status, a legal person its name, and is in no list by name', async () => {
    const known = { name: `ATELIER ${company}`, listed: `ATELIER ${company}` };
    const other = { name: `ATELIER ${neighbour}`, listed: `ATELIER ${neighbour}` };
    expect(await readNames()).toEqual([
      { shown: `${person} ACTIVE LYON 3EME`, name: null, listed: null },
      { shown: `${company} ACTIVE LYON 3EME RUE DES LILAS`, ...known },
      { shown: `${neighbour} ACTIVE LYON 3EME RUE DES LILAS`, ...other },
      { shown: `${shy} ACTIVE LYON 3EME`, name: `ATELIER ${shy}`, listed: null },
    ]);
    expect(await findByName('quinquempoix', 'zephirine', 'atelier')).toEqual([0, 0, 3]);
  });

  test('is in no export, and in no download, as no company is', async () => {
    const listed = [company, neighbour, '990900003'];
    for (const [view, sirens] of Object.entries({
      entry: listed,
      company: listed,
      event: [company],
    })) {
      const args = ['export', view, '--format', 'csv'];
      const { stdout } = await runCommand(args, { DATABASE_URL: db.url });
      const rows: Record<string, string>[] = parse(stdout, { columns: true });
      expect(rows.map(({ siren }) => String(siren)).toSorted()).toEqual(sirens);
    }
    for (const { view } of views) {
      const response = await api.ask(`/downloads/${today}/${view}.csv?country=FR`);
      expect(response.status).toBe(200);
      expect(await response.text()).not.toMatch(/\b(siren|company_id|entry_id|99010\d{4})\b/);
    }
  });

  test('is in the feed of those who watch it, and not in that of the registry', async () => {
    expect((await readFeed('watched')).toSorted()).toEqual(told);
    expect(await readFeed('all')).toEqual([told[2]]);
    // The feed has only one event, so the first part (`limit=1`) is also the last.
    const route = 'GET /events/feed?scope=all&country=FR&limit=1';
    const { body } = await askJson(api, route, { token });
    expect(body).toMatchObject({
      data: [{ primary_identifier: company }],
      meta: { has_more: false },
    });
    const { next_cursor } = (body as { meta: { next_cursor: string } }).meta;
    expect(await askJson(api, `${route}&after=${next_cursor}`, { token })).toMatchObject({
      status: 200,
      body: { data: [], meta: { next_cursor, has_more: false } },
    });
  });

  test('still closes, and comes back without an event', async () => {
    const ended = { etatAdministratifUniteLegale: 'C', dateDebut: '2026-11-02' };
    expect(await tonight({ ...hidden, ...ended }, withheldPlace, branch)).toEqual([
      `${person} COMPANY_CLOSED_DATE:  → 2026-11-02`,
    ]);
    expect(await tonight({ ...woman, ...ended }, home, branch)).toEqual([]);
    const name = 'ZEPHIRINE QUINQUEMPOIX';
    expect((await readNames())[0]).toMatchObject({ name, listed: name });
    expect(await verify(db, 'sirene')).toEqual([]);
    await tonight(hidden, withheldPlace, branch);
  });
});

describe('an owner who objects, of whom a duplicate is gone,', () => {
  const [first, left, kept] = ['990100000', '990100018', '990100026'] as const;
  const seat = { '00012': home };
  const both: Duplicate[] = [
    [kept, left],
    [left, first],
  ];

  test('is found until then', async () => {
    await night({ [first]: [woman, seat], [left]: [woman, seat], [kept]: [woman, seat] });
    await night({ [left]: [woman, seat], [kept]: [woman, seat] }, both);
    await night({ [kept]: [woman, seat] }, both);
    expect(await findByName('quinquempoix')).toEqual([1]);
    const body = { identifier_type: 'SIREN', identifier_value: kept };
    const { body: answer } = await searcher.snapshot(body);
    expect(JSON.stringify(answer).match(/ZEPHIRINE QUINQUEMPOIX/g)?.length).toBe(4);
    expect(await verify(db, 'sirene')).toEqual([]);
  });

  test('leaves every entry and the search', async () => {
    await night({ [kept]: [hidden, { '00012': withheldPlace }] }, both);
    expect(await findByName('quinquempoix')).toEqual([0]);
    expect(updated).toBe(1);
    await expectSilence();
    const { rows } = await db.pool.query<{ shown: string }>(
      `select concat_ws(' ', entry_key, status, is_partial, city, units #>> '{0,identifier}') as shown
       from registry.entry where entry_key = any($1) order by entry_key`,
      [[first, left, kept]],
    );
    expect(rows.map(({ shown }) => shown)).toEqual([
      `${first} DELETED t LYON 3EME ${first}00012`,
      `${left} DELETED t LYON 3EME ${left}00012`,
      `${kept} ACTIVE t LYON 3EME ${kept}00012`,
    ]);
  });

  test('is in the feed of all again when the owner objects no longer', async () => {
    const isInFeed = async () => (await readFeed('all')).some((event) => event.startsWith(kept));
    expect(await isInFeed()).toBe(false);
    await night({ [kept]: [{ ...woman, activitePrincipaleUniteLegale: '62.02A' }, seat] }, both);
    expect(await isInFeed()).toBe(true);
    expect(updated).toBe(1);
    await night({ [kept]: [hidden, { '00012': withheldPlace }] }, both);
  });

  test('stays so when a duplicate of one who has objected goes later', async () => {
    const [gone, stays] = ['990110009', '990110017'] as const;
    const withheld: Units = { [stays]: [hidden, { '00012': withheldPlace }] };
    await night({ [gone]: [woman, seat], ...withheld });
    await night(withheld, [[stays, gone]]);
    await expectSilence();
  });
});

describe('what an owner withholds is not told of an establishment', () => {
  const withheld = { ...withheldPlace, ...closed };

  test('that closes in the stock that brings the mark', async () => {
    const [whole, alone] = ['990200016', '990200024'] as const;
    const open = { '00012': {}, '00020': quay };
    await night({ [whole]: [{}, open], [alone]: [{}, open] });
    const events = await night({
      [whole]: [partial, { '00012': withheldPlace, '00020': withheld }],
      [alone]: [{}, { '00012': {}, '00020': withheld }],
    });
    expect(events).toEqual(
      [whole, alone].map((siren) => `${siren} COMPANY_UNIT_CLOSED: ${siren}00020 → `),
    );
    await expectSilence();
  });

  test('that had closed before, or was the head office', async () => {
    // The former head office of `late` closes in the same night in which the owner objects.
    const [unit, place, late] = ['990210007', '990210015', '990210023'] as const;
    const ofAll = (...known: Units[string]): Units =>
      Object.fromEntries([unit, place, late].map((siren) => [siren, known]));
    await night(ofAll({}, { '00012': home, '00038': quay }));
    const moved = seatAt('00020');
    const told = await night(
      ofAll(moved, { '00012': home, '00020': {}, '00038': { ...quay, ...closed } }),
    );
    for (const text of ['OUBLIETTES', 'AU QUAI']) expect(told.join('\n')).toContain(text);
    const left = { '00012': withheldPlace, '00020': {}, '00038': withheld };
    const events = await night({
      [unit]: [
        { ...moved, ...partial },
        { ...left, '00020': withheldPlace },
      ],
      [place]: [moved, left],
      [late]: [moved, { ...left, '00012': withheld }],
    });
    expect(events).toEqual([`${late} COMPANY_UNIT_CLOSED: ${late}00012 → `]);
    await expectSilence();
  });

  test('that the head office leaves tonight', async () => {
    const [one, other] = ['990220007', '990220015'] as const;
    const seat = { '00012': home };
    await night({ [one]: [{}, seat], [other]: [{}, seat] });
    const events = await night({
      [one]: [seatAt('00020'), { '00012': withheld, '00020': {} }],
      [other]: [seatAt('00020'), { '00012': withheldPlace, '00020': {} }],
    });
    expect(events.filter((event) => event.includes('ADDRESS'))).toEqual(
      [one, other].map((siren) => `${siren} COMPANY_ADDRESS_CHANGED:  → ${lilacs}`),
    );
    await expectSilence();
  });

  test('of which a delta brings the mark, now or before', async () => {
    const unit = '990230006';
    await night({ [unit]: [{}, { '00012': {}, '00020': quay, '00038': quay }] });
    const ended = { ...closed, dateFin: null };
    const answer = (nic: string, status: string) =>
      JSON.stringify({
        siren: unit,
        siret: `${unit}${nic}`,
        statutDiffusionEtablissement: status,
        uniteLegale: { etatAdministratifUniteLegale: 'A' },
        periodesEtablissement: [ended],
      });
    const first = [answer('00020', 'P'), answer('00038', 'O')];
    const before = nextDay();
    await runSirene(db, before, { 'siret.ndjson': first.join('\n') });
    const port = 'AU QUAI, RUE DU PORT 7, 69003 LYON 3EME, Auvergne-Rhône-Alpes';
    expect(await readEvents(db, before)).toEqual([
      `${unit} COMPANY_UNIT_CLOSED: ${unit}00020 → `,
      `${unit} COMPANY_UNIT_CLOSED: ${unit}00038 ${port} → `,
    ]);
    await runSirene(db, nextDay(), { 'siret.ndjson': answer('00038', 'P') });
    expect(await readEvents(db, before)).toEqual([
      `${unit} COMPANY_UNIT_CLOSED:  → `,
      `${unit} COMPANY_UNIT_CLOSED: ${unit}00020 → `,
    ]);
    await expectSilence();
  });

  test('that the head office has left, in the events that brought it there and took it away', async () => {
    const [back, both] = ['990240004', '990240012'] as const;
    const all = { '00012': {}, '00020': home, '00038': quay };
    const hiddenAll = { '00012': {}, '00020': withheldPlace, '00038': withheldPlace };
    await night({ [back]: [seatAt('00012'), all], [both]: [seatAt('00020'), all] });
    const told = await night({ [back]: [seatAt('00020'), all], [both]: [seatAt('00038'), all] });
    expect(told.join('\n')).toMatch(/OUBLIETTES.*\n.*DU PORT/);
    await night({ [back]: [seatAt('00020'), all], [both]: [seatAt('00012'), all] });
    // The unit moves its head office in the same night in which the owner objects.
    await night({ [back]: [seatAt('00012'), hiddenAll], [both]: [seatAt('00012'), hiddenAll] });
    await expectSilence();
  });

  test('where the owner objects and no establishment is listed', async () => {
    await night({ '990250003': [{}, { '00012': home }] });
    await night({ '990250003': [partial, {}] });
    await expectSilence();
  });
});

test('stored answers and rejected rows go too where nobody watches', async () => {
  const [siren, neighbour] = ['990300006', '990300014'] as const;
  await night({ [siren]: [woman, { '00012': home }], [neighbour]: [] });
  const ask = (value: string) =>
    searcher.snapshot(
      { identifier_type: 'SIREN', identifier_value: value },
      { 'Idempotency-Key': value },
    );
  expect(JSON.stringify((await ask(siren)).body)).toContain('QUINQUEMPOIX');
  await ask(neighbour);
  await db.pool.query(
    `insert into registry.reject (run_id, file, line, reject_code, reason, raw)
     select max(run_id), 'a', 1, 'damaged_row', 'x', $1 from registry.run`,
    [`${siren}00012;QUINQUEMPOIX`],
  );
  await night({ [siren]: [hidden, { '00012': withheldPlace }], [neighbour]: [] });
  await expectSilence();
  const answers = 'select idempotency_key as key from customer.idempotent_answer';
  expect((await db.pool.query(answers)).rows).toEqual([{ key: neighbour }]);
  expect(JSON.stringify((await ask(siren)).body)).not.toContain('QUINQUEMPOIX');
});

test('a new company whose owner objects is registered without a name, and in no feed of all', async () => {
  const [person, firm, open] = ['990310005', '990310013', '990310021'] as const;
  const events = await night({
    [person]: [hidden, { '00012': withheldPlace }],
    [firm]: [partial, { '00012': withheldPlace }],
    [open]: [],
  });
  expect(events.filter((event) => event.includes('REGISTERED'))).toEqual([
    `${person} COMPANY_REGISTERED:  → `,
    `${firm} COMPANY_REGISTERED:  → `,
    `${open} COMPANY_REGISTERED:  → ATELIER ${open}`,
  ]);
  const all = (await readFeed('all')).filter((event) => event.startsWith('9903100'));
  expect(all).toEqual([`${open} COMPANY_REGISTERED`]);
  await expectSilence();
});
