import { describe, expect, test } from 'vitest';
import { readExpected, readRows } from '../../fixtures/expected.ts';
import { dumpTables } from '../../fixtures/dump/night.ts';
import { runSource, shareAllSources, sources } from '../../fixtures/dump/three-sources.ts';
import { verify } from './verify.ts';

const LIMITED = 'SPÓŁKA Z OGRANICZONĄ ODPOWIEDZIALNOŚCIĄ';

/** The changes of which the test expects that a second registry confirms them. */
const expectedCorroborations = readRows<
  Record<'event_type' | 'new_value' | 'told' | 'confirmed', string>
>(new URL('one-company.csv', import.meta.url));

function countConfirmed(source: string): number {
  return expectedCorroborations.filter(({ confirmed }) => confirmed.startsWith(source)).length;
}

describe('the fixture days of three registries', async () => {
  const db = await (await shareAllSources()).copy();

  test('tell once what two of them say, and note the other', async () => {
    const { rows } = await db.pool.query<object>(
      `select event_type, new_value, concat(event_source, ' ', told_date) as told,
         concat(source, ' ', event_date) as confirmed
       from analyst.corroboration
       order by event_id`,
    );
    expect(rows).toEqual(expectedCorroborations);
  });

  test('tell all the rest as each of them alone', async () => {
    const { rows } = await db.pool.query<{ source: string; count: number; last_id: number }>(
      `select source, count(*)::int, (select max(event_id) from registry.event)::int as last_id
       from registry.event group by source order by source`,
    );
    const counts = sources.map((source) => {
      return { source, count: readExpected(source).events.length - countConfirmed(source) };
    });
    const last_id = counts.reduce((sum, { count }) => sum + count, 0);
    expect(rows).toEqual(counts.map((one) => ({ ...one, last_id })));
    const runs = await db.pool.query(
      'select sum(event_count)::int as told from registry.run where state = $1',
      ['published'],
    );
    expect(runs.rows).toEqual([{ told: last_id }]);
  });

  test('make one company of what shares a number', async () => {
    const { rows } = await db.pool.query<{ shown: string; entries: string }>(
      `select concat_ws(' | ', company.name, company.status, company.nip, company.regon9, company.krs,
           company.city, company.activity_start) as shown,
         string_agg(concat(entry.source, ' ', entry_key), ', ' order by entry.source, entry_key)
           as entries
       from registry.company
       join registry.entry using (company_id)
       group by company.company_id
       having count(distinct entry.source) > 1
       order by company.nip`,
    );
    expect(rows.map(({ shown, entries }) => [shown, entries])).toEqual([
      [
        'Piekarnia Pod Wieżą Anna Żakowska | ACTIVE | 1000201006 | 990200011 | Wrocław | 2014-05-12',
        'ceidg 990200011, regon 990200011-1',
      ],
      [
        'Sad i Ogród Krystyna Wiśniowiecka-Gruszka | ACTIVE | 1000802007 | 990800024 | Lubinicko | 2020-03-16',
        'ceidg 990800024, regon 990800024-1, regon 990800024-2, regon 990800024-3',
      ],
      // The values of KRS take precedence, but KRS does not state the start of the activity.
      [
        `BURSZTYN JANTARSKI ${LIMITED} | ACTIVE | 1002203009 | 992200038 | 0000990001 | GDAŃSK | 1996-03-25`,
        'ceidg 992200038, krs 0000990001, regon 992200038-6',
      ],
      [
        `TARTAK BRZOZÓWKA ${LIMITED} W UPADŁOŚCI | DELETED | 1005000011 | 995000015 | 0000990002 | SUWAŁKI | 2012-06-01`,
        'krs 0000990002, regon 995000015-6',
      ],
    ]);
  });

  test('bring about every type of event', async () => {
    const { rows } = await db.pool.query(
      `select event_type from registry.event_type
       where not exists (select from registry.event where event.event_type = event_type.event_type)
       order by event_type`,
    );
    expect(rows).toEqual([
      // The fixture days have no restructuring; sources/krs/proceedings.test.ts tests the two events about
      // restructurings.
      { event_type: 'COMPANY_RESTRUCTURING_ENDED' },
      { event_type: 'COMPANY_RESTRUCTURING_STARTED' },
    ]);
  });

  test.each(sources)('are proved whole by verify: %s', async (source) => {
    expect(await verify(db, source)).toEqual([]);
  });

  test.each([
    [
      /^company \d+ does not show what its entries say$/,
      `update registry.company set activity_start = null where krs = '0000990002'`,
      `update registry.company set activity_start = '2012-06-01' where krs = '0000990002'`,
    ],
    [
      /^event \d+ of company \d+, which regon confirmed on 2026-11-04, is not what it reported$/,
      `update registry.corroboration set new_value = '1' where new_value = '400202101'`,
      `update registry.corroboration set new_value = '400202101' where new_value = '1'`,
    ],
  ])('are found out by verify where one says something else: %s', async (finding, spoil, mend) => {
    await db.pool.query(spoil);
    const findings = await verify(db, 'regon');
    await db.pool.query(mend);
    expect(findings).toContainEqual(expect.stringMatching(finding));
    expect(await verify(db, 'regon')).toEqual([]);
  });

  test('leave no trace of a dry run', async () => {
    const before = await dumpTables(db);
    const summary = await runSource(db, 'regon', '2026-11-05', {
      dump_date: '2026-11-07',
      isDryRun: true,
    });
    expect(summary.updated).toBeGreaterThan(0);
    expect(await dumpTables(db)).toEqual(before);
  });
});
