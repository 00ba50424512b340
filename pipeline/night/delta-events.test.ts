import { beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { fieldsOf, readRows } from '../../fixtures/expected.ts';
import { readEventsBy } from '../../fixtures/dump/night.ts';
import {
  company,
  nipOf,
  type Partner,
  person,
  regonOf,
  type ReportLine,
  runRegon,
  unitOf,
} from '../../fixtures/dump/regon-day.ts';
import { verify } from './verify.ts';

const [day1, day2, day3] = ['2026-11-02', '2026-11-03', '2026-11-04'] as const;

/**
 * A test case: the reports of REGON on two days, and the expected events of the second day; the third day has no
 * events.
 */
interface Change {
  before: ReportLine[];
  after: ReportLine[];
  deleted?: string[];
  /** The reports of the third day; if absent, the third day has the reports of the second day. */
  later?: ReportLine[];
  events: string[];
}

type Told = Parameters<typeof company> extends [string, string, ...infer Rest] ? Rest : never;

/**
 * Returns the NIPs and REGONs of two companies for the test case `at`, and functions that make reports of the
 * companies.
 */
function numbersOf(at: number) {
  const [regon, nip] = [regonOf(2 * at + 1), nipOf(2 * at + 1)];
  const [nextRegon, nextNip] = [regonOf(2 * at + 2), nipOf(2 * at + 2)];
  return {
    regon,
    nip,
    nextRegon,
    nextNip,
    own: (...told: Told) => company(regon, nip, ...told),
    successor: company(nextRegon, nip, { nazwa: `SPÓŁKA ${regon}` }),
    units: [
      { number: unitOf(regon, 1), name: 'Sklep' },
      { number: unitOf(regon, 2), name: 'Magazyn' },
      { number: unitOf(regon, 3), name: 'Biuro' },
    ] as const,
  };
}
type Numbers = ReturnType<typeof numbersOf>;

/** The test cases about two companies, or about a company and its local units. */
const cases: [what: string, change: (numbers: Numbers) => Change][] = [
  [
    'another REGON is a changed identity, where the old number is struck off the same day',
    ({ regon, nextRegon, own, successor }) => ({
      before: own(),
      after: [...own({ dataSkresleniaZRegon: '2026-10-30' }), ...successor],
      events: [`ANOMALY_REGON_CHANGE: ${regon} → ${nextRegon}`],
    }),
  ],
  [
    'another REGON is one too, where the list of deletions strikes off the old number',
    ({ regon, nextRegon, own, successor }) => ({
      before: own(),
      after: successor,
      deleted: [regon],
      events: [`ANOMALY_REGON_CHANGE: ${regon} → ${nextRegon}`],
    }),
  ],
  [
    'another REGON is none while the old number is in use',
    ({ own, successor }) => ({ before: own(), after: successor, events: [] }),
  ],
  [
    'another REGON is none where it is another company’s',
    ({ regon, own, nextRegon, nextNip }) => ({
      before: own(),
      after: company(nextRegon, nextNip),
      deleted: [regon],
      events: [
        `COMPANY_REGISTERED:  → SPÓŁKA ${nextRegon}`,
        `COMPANY_STRUCK_OFF: ACTIVE → ${day2}`,
      ],
    }),
  ],
  [
    'a legal person under the number of a natural one',
    ({ regon, nip, own }) => ({
      before: person(regon, nip, { Ceidg: {} }),
      after: [
        ...person(regon, nip, { Ceidg: { dataSkresleniaDzialalnosciZRegon: '2026-10-30' } }),
        ...own({ nazwa: 'Ceidg JAN OŚCISTY' }),
      ],
      events: [
        'COMPANY_ACTIVITY_ADDED:  → 6210Z',
        'COMPANY_ADDRESS_ADDED:  → 7, Poznań',
        'COMPANY_ENTITY_TYPE_CHANGED: NATURAL → LEGAL',
        'COMPANY_LEGAL_FORM_CHANGED:  → spolka-z-ograniczona-odpowiedzialnoscia',
        'COMPANY_MAIN_ACTIVITY_CHANGED:  → 6210Z',
        'COMPANY_OWNER_CHANGED: JAN OŚCISTY → ',
        'COMPANY_START_DATE_CHANGE:  → 2015-03-02',
      ],
    }),
  ],
  [
    'a person ends one activity and begins another',
    ({ regon, nip }) => ({
      before: person(regon, nip, { Ceidg: {} }),
      after: person(regon, nip, {
        Ceidg: { dataSkresleniaDzialalnosciZRegon: '2026-10-30' },
        Rolnicza: {},
      }),
      events: ['COMPANY_STRUCK_OFF: ACTIVE → 2026-10-30'],
    }),
  ],
  [
    'units are opened, closed and changed',
    ({ own, units: [first, second, third] }) => ({
      before: own({}, { units: [first, second] }),
      after: own({}, { units: [{ ...second, street: 'ul. Polna' }, third] }),
      events: [
        `COMPANY_UNIT_CHANGED: ${second.number} Magazyn, Gniezno → ${second.number} Magazyn, ul. Polna, Gniezno`,
        `COMPANY_UNIT_CLOSED: ${first.number} Sklep, Gniezno → `,
        `COMPANY_UNIT_OPENED:  → ${third.number} Biuro, Gniezno`,
      ],
    }),
  ],
  [
    'units are closed by an end date, once, and their order means nothing',
    ({ own, units: [first, second] }) => ({
      before: own({}, { units: [first, second] }),
      after: own({}, { units: [second, { ...first, end_date: '2026-10-31' }] }),
      later: own({}, { units: [second] }),
      events: [`COMPANY_UNIT_CLOSED: ${first.number} Sklep, Gniezno → `],
    }),
  ],
  [
    'units stay where there is no list',
    ({ own, units: [first] }) => ({
      before: own({}, { units: [first] }),
      after: own().filter(({ report }) => !report.endsWith('ListaJednLokalnych')),
      events: [],
    }),
  ],
  [
    'a NIP is annulled',
    ({ own, nip }) => ({
      before: own(),
      after: own({ statusNip: 'Unieważniony' }),
      events: [`COMPANY_TAX_IDENTITY_REVOKED: ${nip} → `],
    }),
  ],
  [
    'a NIP stays where another one is annulled',
    ({ own, nextNip }) => ({
      before: own(),
      after: own({ nip: nextNip, statusNip: 'Unieważniony' }),
      events: [],
    }),
  ],
];

const partners = (...told: (string | Partner)[]): Told => [{}, { partners: told }];
const [known1, known2] = [901, 902].map((no) => ({ name: 'JAN KOS', regon: regonOf(no) })) as [
  Partner,
  Partner,
];
const firm = (name: string) => ({ name, isFirm: true });

/** The test cases about the partners of a company. */
const partnerCases: [what: string, before: Told, after: Told, ...events: string[]][] = [
  [
    'the partners of a civil partnership are its owners',
    partners('JAN KOS', 'EWA BÓR'),
    partners('EWA BÓR', 'ADAM KOS'),
    'COMPANY_OWNER_CHANGED: EWA BÓR; JAN KOS → ADAM KOS; EWA BÓR',
  ],
  [
    'one of two partners of one name leaves',
    partners(known1, known2),
    partners(known1),
    'COMPANY_OWNER_CHANGED: JAN KOS; JAN KOS → JAN KOS',
  ],
  ['a partner of a number is renamed', partners(known1), partners({ ...known1, name: 'JAN BÓR' })],
  ['numbers of partners become known', partners('JAN KOS', 'JAN KOS'), partners(known2, known1)],
  [
    'a partner is spelled otherwise',
    partners(firm('SOWA SPÓŁKA Z O.O.')),
    partners(firm('Sowa Sp. z o.o.')),
  ],
];
/** The test cases about fields of a company on two days, with the expected events of the second day. */
const fieldCases = readRows<Record<'what' | 'before' | 'after' | 'events', string>>(
  new URL('delta-events.csv', import.meta.url),
).map(({ what, before, after, events }): (typeof partnerCases)[number] => {
  return [what, [fieldsOf(before)], [fieldsOf(after)], ...events.split('\n')];
});
for (const [what, before, after, ...events] of [...partnerCases, ...fieldCases]) {
  cases.push([what, ({ own }) => ({ before: own(...before), after: own(...after), events })]);
}

describe('a delta of REGON', async () => {
  const db = await createTestDatabase();
  const changes = cases.map(([what, change], at) => ({ what, at, ...change(numbersOf(at)) }));
  let events: Record<string, string[]>;

  beforeAll(async () => {
    const reason = 'All are meant';
    await runRegon(db, day1, { reports: changes.flatMap(({ before }) => before) });
    const reports = changes.flatMap(({ after }) => after);
    const deleted = changes.flatMap((change) => change.deleted ?? []);
    await runRegon(db, day2, { reports, deleted }, { reason });
    events = await readEventsBy(db, 'regon9', day2);
  });

  test.each(changes)('$what', ({ at, events: expected }) => {
    const { regon, nextRegon } = numbersOf(at);
    expect([...(events[regon] ?? []), ...(events[nextRegon] ?? [])].toSorted()).toEqual(expected);
  });

  test('has no other event, and keeps the entries of one company together', async () => {
    const told = changes.flatMap((change) => change.events);
    expect(Object.values(events).flat().toSorted()).toEqual(told.toSorted());
    const { regon, nextRegon } = numbersOf(0);
    const { rows } = await db.pool.query(
      `select entry_key, status, gone_date is null as is_there,
         dense_rank() over (order by company_id)::int as company
       from registry.entry where regon9 = any($1) order by entry_key`,
      [[regon, nextRegon]],
    );
    expect(rows).toEqual([
      { entry_key: `${regon}-6`, status: 'DELETED', is_there: false, company: 1 },
      { entry_key: `${nextRegon}-6`, status: 'ACTIVE', is_there: true, company: 1 },
    ]);
    expect(await verify(db, 'regon')).toEqual([]);
  });

  test('is followed by one that tells the same, without an event', async () => {
    const reports = changes.flatMap(({ after, later }) => later ?? after);
    expect(await runRegon(db, day3, { reports })).toMatchObject({ new: 0, deleted: 0, events: 0 });
    expect(await verify(db, 'regon')).toEqual([]);
  });
});
