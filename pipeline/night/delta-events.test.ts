import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  company,
  nipOf,
  type Partner,
  person,
  readEvents,
  type RegonDay,
  regonOf,
  runRegon,
  unitOf,
} from '../../fixtures/dump/regon-day.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { verify } from './verify.ts';

const [day1, day2, day3] = ['2026-11-02', '2026-11-03', '2026-11-04'] as const;

let db: TestDatabase;

beforeEach(async () => {
  db = await createTestDatabase();
});

afterEach(() => db.drop());

const [regon, nip] = [regonOf(1), nipOf(1)];
/** `company` of these two numbers. */
const own = (
  ...rest: Parameters<typeof company> extends [string, string, ...infer R] ? R : never
) => company(regon, nip, ...rest);

/** Runs a day after another and gives the events of the second one. */
async function diff(before: RegonDay, after: RegonDay): Promise<string[]> {
  await runRegon(db, day1, before);
  await runRegon(db, day2, after);
  expect(await verify(db, 'regon')).toEqual([]);
  return await readEvents(db, day2);
}

describe('a company that goes on under another REGON', () => {
  const successor = company(regonOf(2), nip, { nazwa: `SPÓŁKA ${regon}` });

  test('has a changed identity, where the old number is struck off the same day', async () => {
    const struckOff = own({ dataSkresleniaZRegon: '2026-10-30' });
    expect(await diff({ reports: own() }, { reports: [...struckOff, ...successor] })).toEqual([
      `ANOMALY_REGON_CHANGE: ${regon} → ${regonOf(2)}`,
    ]);
    const { rows } = await db.pool.query(
      `select entry_key, entry.status, gone_date is null as is_there, companies
       from registry.entry
       cross join (select count(distinct company_id)::int as companies from registry.entry) as c
       order by entry_key`,
    );
    expect(rows).toEqual([
      { entry_key: `${regon}-6`, status: 'DELETED', is_there: false, companies: 1 },
      { entry_key: `${regonOf(2)}-6`, status: 'ACTIVE', is_there: true, companies: 1 },
    ]);
    const again = await runRegon(db, day3, { reports: [...struckOff, ...successor] });
    expect(again).toMatchObject({ new: 0, updated: 0, deleted: 0, entries: 1, events: 0 });
  });

  test('has one too, where the list of deletions says so', async () => {
    const after = { reports: successor, deleted: [regon] };
    expect(await diff({ reports: own() }, after)).toEqual([
      `ANOMALY_REGON_CHANGE: ${regon} → ${regonOf(2)}`,
    ]);
  });

  test('has none while the old number is in use', async () => {
    expect(await diff({ reports: own() }, { reports: successor })).toEqual([]);
  });

  test('has none where the new number is another company’s', async () => {
    const after = { reports: company(regonOf(2), nipOf(2)), deleted: [regon] };
    expect(await diff({ reports: own() }, after)).toEqual([`COMPANY_STRUCK_OFF: ACTIVE → ${day2}`]);
  });

  test('is a legal person, where the number was a natural one’s', async () => {
    const ended = person(regon, nip, { Ceidg: { dataSkresleniaDzialalnosciZRegon: '2026-10-30' } });
    const [name, owner] = ['Ceidg JAN OŚCISTY', 'JAN OŚCISTY'];
    expect(
      await diff(
        { reports: person(regon, nip, { Ceidg: {} }) },
        { reports: [...ended, ...own({ nazwa: name })] },
      ),
    ).toEqual([
      'COMPANY_ACTIVITY_ADDED:  → 6210Z',
      'COMPANY_ADDRESS_ADDED:  → 7, Poznań',
      'COMPANY_ENTITY_TYPE_CHANGED: NATURAL → LEGAL',
      'COMPANY_LEGAL_FORM_CHANGED:  → spolka-z-ograniczona-odpowiedzialnoscia',
      'COMPANY_MAIN_ACTIVITY_CHANGED:  → 6210Z',
      `COMPANY_OWNER_CHANGED: ${owner} → `,
      'COMPANY_START_DATE_CHANGE:  → 2015-03-02',
    ]);
  });

  test('is not a person who ends one activity and begins another', async () => {
    const ended = { Ceidg: { dataSkresleniaDzialalnosciZRegon: '2026-10-30' }, Rolnicza: {} };
    expect(
      await diff(
        { reports: person(regon, nip, { Ceidg: {} }) },
        { reports: person(regon, nip, ended) },
      ),
    ).toEqual(['COMPANY_STRUCK_OFF: ACTIVE → 2026-10-30']);
  });
});

describe('units', () => {
  const first = { number: unitOf(regon, 1), name: 'Sklep' };
  const second = { number: unitOf(regon, 2), name: 'Magazyn' };

  test('are opened, closed and changed', async () => {
    expect(
      await diff(
        { reports: own({}, { units: [first, second] }) },
        {
          reports: own(
            {},
            {
              units: [
                { ...second, street: 'ul. Polna' },
                { number: unitOf(regon, 3), name: 'Biuro' },
              ],
            },
          ),
        },
      ),
    ).toEqual([
      `COMPANY_UNIT_CHANGED: ${second.number} Magazyn, Gniezno → ${second.number} Magazyn, ul. Polna, Gniezno`,
      `COMPANY_UNIT_CLOSED: ${first.number} Sklep, Gniezno → `,
      `COMPANY_UNIT_OPENED:  → ${unitOf(regon, 3)} Biuro, Gniezno`,
    ]);
  });

  test('are closed by an end date, once, and their order says nothing', async () => {
    const ended = { ...first, end_date: '2026-10-31' };
    const units = [second, ended];
    expect(
      await diff({ reports: own({}, { units: [first, second] }) }, { reports: own({}, { units }) }),
    ).toEqual([`COMPANY_UNIT_CLOSED: ${first.number} Sklep, Gniezno → `]);
    await runRegon(db, day3, { reports: own({}, { units: [second] }) });
    expect(await readEvents(db, day3)).toEqual([]);
  });

  test('stay where the list is not told', async () => {
    const withoutList = own().filter(({ report }) => !report.endsWith('ListaJednLokalnych'));
    expect(await diff({ reports: own({}, { units: [first] }) }, { reports: withoutList })).toEqual(
      [],
    );
  });
});

describe('other changes of a company', () => {
  test('the partners of a civil partnership are its owners', async () => {
    expect(
      await diff(
        { reports: own({}, { partners: ['JAN KOS', 'EWA BÓR'] }) },
        { reports: own({}, { partners: ['EWA BÓR', 'ADAM KOS'] }) },
      ),
    ).toEqual(['COMPANY_OWNER_CHANGED: EWA BÓR; JAN KOS → ADAM KOS; EWA BÓR']);
  });

  const [first, second] = [101, 102].map((no) => ({ name: 'JAN KOS', regon: regonOf(no) })) as [
    Partner,
    Partner,
  ];
  const firm = (name: string) => ({ name, isFirm: true });
  test.each<[string, (string | Partner)[], (string | Partner)[], string[]]>([
    [
      'one of two of one name leaves',
      [first, second],
      [first],
      ['COMPANY_OWNER_CHANGED: JAN KOS; JAN KOS → JAN KOS'],
    ],
    ['one who is known by a number is renamed', [first], [{ ...first, name: 'JAN KOS-BÓR' }], []],
    ['their numbers become known', ['JAN KOS', 'JAN KOS'], [second, first], []],
    ['a firm is spelled otherwise', [firm('SOWA SPÓŁKA Z O.O.')], [firm('Sowa Sp. z o.o.')], []],
  ])('partners: %s', async (_, before, after, events) => {
    const tell = (partners: (string | Partner)[]) => ({ reports: own({}, { partners }) });
    expect(await diff(tell(before), tell(after))).toEqual(events);
  });

  test.each([
    [
      'a bankruptcy starts',
      {},
      { dataOrzeczeniaOUpadlosci: '2026-10-20' },
      'COMPANY_BANKRUPTCY_STARTED:  → 2026-10-20',
    ],
    [
      'a bankruptcy ends',
      { dataOrzeczeniaOUpadlosci: '2026-10-20' },
      {
        dataOrzeczeniaOUpadlosci: '2026-10-20',
        dataZakonczeniaPostepowaniaUpadlosciowego: '2026-10-30',
      },
      'COMPANY_BANKRUPTCY_ENDED: 2026-10-20 → 2026-10-30',
    ],
    [
      'a declaration of bankruptcy is withdrawn',
      { dataOrzeczeniaOUpadlosci: '2026-10-20' },
      {},
      'COMPANY_BANKRUPTCY_ENDED: 2026-10-20 → ',
    ],
    [
      'another bankruptcy starts, and the end is still that of the former one',
      {
        dataOrzeczeniaOUpadlosci: '2015-02-03',
        dataZakonczeniaPostepowaniaUpadlosciowego: '2016-04-05',
      },
      {
        dataOrzeczeniaOUpadlosci: '2026-10-20',
        dataZakonczeniaPostepowaniaUpadlosciowego: '2016-04-05',
      },
      'COMPANY_BANKRUPTCY_STARTED:  → 2026-10-20',
    ],
    ['a fax number', {}, { numerFaksu: '618000000' }, 'COMPANY_FAX_ADDED:  → 618000000'],
    [
      'a KRS number',
      {},
      { rodzajRejestruEwidencji_Symbol: '138', numerWRejestrzeEwidencji: '0000990001' },
      'COMPANY_REGISTRY_NUMBER_ASSIGNED:  → 0000990001',
    ],
    [
      'a legal form',
      {},
      { szczegolnaFormaPrawna_Symbol: '116' },
      'COMPANY_LEGAL_FORM_CHANGED: spolka-z-ograniczona-odpowiedzialnoscia → spolka-akcyjna',
    ],
    [
      'a NIP that is annulled',
      {},
      { statusNip: 'Unieważniony' },
      `COMPANY_TAX_IDENTITY_REVOKED: ${nip} → `,
    ],
    [
      'an end and its strike-off',
      {},
      { dataZakonczeniaDzialalnosci: '2026-10-29', dataSkresleniaZRegon: '2026-10-30' },
      'COMPANY_CLOSED_DATE:  → 2026-10-29',
      'COMPANY_STRUCK_OFF: ACTIVE → 2026-10-30',
    ],
  ])('%s', async (_, before, after, ...expected) => {
    expect(await diff({ reports: own(before) }, { reports: own(after) })).toEqual(expected);
  });
});
