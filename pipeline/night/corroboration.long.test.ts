import { beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { extract, runKrs } from '../../fixtures/dump/krs-day.ts';
import { company, nipOf, person, regonOf, runRegon } from '../../fixtures/dump/regon-day.ts';
import { fieldsOf, readRows } from '../../fixtures/expected.ts';
import { verify } from './verify.ts';

const [krs, regon, nip] = ['0000990001', regonOf(1), nipOf(1)];

let db: TestDatabase;

beforeEach(async () => {
  db = await createTestDatabase();
});

/**
 * Runs a night of a registry with one company. `content` has the company's fields; `no` (default: 1) selects its REGON
 * and NIP.
 */
function tell(source: string, date: string, content: string) {
  const { no = '1', ...fields } = fieldsOf(content);
  if (source === 'krs') return runKrs(db, date, [extract(krs, { nip, regon, ...fields })]);
  const reports = company(regonOf(Number(no)), nipOf(Number(no)), fields);
  return runRegon(db, date, { reports });
}

/** Returns the events in order, each with the registries that confirmed the event. */
async function readTold(): Promise<string[]> {
  const { rows } = await db.pool.query<{ told: string }>(
    `select concat_ws(' ', event.event_date, event.source,
       nullif(event.event_type, 'COMPANY_NAME_CHANGED'), event.new_value,
       '+ ' || string_agg(corroboration.source, ',' order by corroboration.source)) as told
     from registry.event
     left join registry.corroboration using (company_id, event_id)
     group by event.company_id, event.event_id
     order by event.event_id`,
  );
  return rows.map(({ told }) => told);
}

async function expectWhole(): Promise<void> {
  expect(await verify(db, 'krs')).toEqual([]);
  expect(await verify(db, 'regon')).toEqual([]);
}

/**
 * A row of `corroboration.csv`: one night of a story, which is a series of nights. `events` is the expected number of
 * events of the night, if not empty. `told` is an expected event of the night, with the registries that have confirmed
 * the event when the story ends.
 */
type Night = Record<'story' | 'date' | 'source' | 'content' | 'events' | 'told', string>;
const nights = readRows<Night>(new URL('corroboration.csv', import.meta.url));

test.each([...Map.groupBy(nights, ({ story }) => story)])('a change %s', async (_, story) => {
  for (const { date, source, content, events } of story) {
    const summary = await tell(source, date, content);
    if (events !== '') expect(summary).toMatchObject({ updated: 1, events: Number(events) });
  }
  expect(await readTold()).toEqual(
    story.flatMap(({ date, source, told }) => {
      return told === '' ? [] : told.split('\n').map((event) => `${date} ${source} ${event}`);
    }),
  );
  await expectWhole();
});

test('the confirmation of a change has the value that its registry had before', async () => {
  await tell('krs', '2026-10-01', 'name=ALFA');
  await tell('regon', '2026-10-01', 'nazwa=ALFA W ORGANIZACJI');
  await tell('krs', '2026-10-02', 'name=BETA');
  await tell('regon', '2026-10-03', 'nazwa=BETA');
  const { rows } = await db.pool.query('select old_value from analyst.corroboration');
  expect(rows).toEqual([{ old_value: 'ALFA W ORGANIZACJI' }]);
});

test('a change of two activities of one person is confirmed once', async () => {
  const tellPerson = (date: string, ceidg: string, farm: string) =>
    runRegon(db, date, {
      reports: person(regon, nip, { Ceidg: { nazwa: ceidg }, Rolnicza: { nazwa: farm } }),
    });
  await tell('krs', '2026-10-01', 'name=A');
  await tellPerson('2026-10-01', 'A', 'ROLA');
  await tell('krs', '2026-10-02', 'name=B');
  expect(await tellPerson('2026-10-02', 'B', 'B')).toMatchObject({ updated: 2, events: 0 });
  await tellPerson('2026-10-03', 'C', 'C');
  await tellPerson('2026-10-04', 'D', 'D');
  expect(await readTold()).toEqual([
    '2026-10-02 krs B + regon',
    '2026-10-03 regon C',
    '2026-10-04 regon D',
  ]);
  await expectWhole();
});
