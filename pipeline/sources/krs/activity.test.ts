import { beforeAll, describe, expect, test } from 'vitest';
import { currentLine, fullLine } from '../../../fixtures/dump/krs-extract.ts';
import { useKrsNights } from '../../../fixtures/dump/krs-nights.ts';

/** An extract of KRS does not state the version of the activity classification, so the product derives the version. */
describe('the version of the activities', () => {
  const nights = useKrsNights();
  const { runLines } = nights;

  beforeAll(async () => {
    await runLines([
      currentLine({ krs: '0000992001', activities: ['6201Z', '6910Z'] }),
      currentLine({ krs: '0000992002', activities: ['6210B', '6910Z'] }),
      // The code 5630Z exists in both versions (2007, 2025) of the classification, but its names differ, so the name
      // decides.
      currentLine({ krs: '0000992003', activities: ['5630Z PRZYGOTOWYWANIE I PODAWANIE NAPOJÓW'] }),
      currentLine({ krs: '0000992004', activities: ['5630Z PODAWANIE NAPOJÓW'] }),
      // The name of the code 6910Z is the same in both versions, so the day on which the code or the company was
      // entered decides.
      currentLine({ krs: '0000992005', activities: ['6910Z'] }),
      currentLine({
        krs: '0000992006',
        activities: ['6910Z'],
        header: { dataRejestracjiWKRS: '05.01.2025' },
      }),
      fullLine('0000992007', 'ALFA', '6910Z', '05.01.2025'),
      // For mixed codes, the version that has most of the codes applies; the code 7222Z is in neither version.
      currentLine({ krs: '0000992008', activities: ['6201Z', '6202Z', '6210B'] }),
      currentLine({ krs: '0000992009', activities: ['7222Z'] }),
      currentLine({ krs: '0000992010', activities: ['70', '6910Z', '6920Z', '6910Z'] }),
      currentLine({ krs: '0000992011' }),
      currentLine({ krs: '0000992012', activities: ['431', '4312Z', '41', '4312', '4'] }),
    ]);
  });

  test.each([
    ['0000992001', 2007, '6201Z', ['6201Z', '6910Z']],
    ['0000992002', 2025, '6210B', ['6210B', '6910Z']],
    ['0000992003', 2007, '5630Z', ['5630Z']],
    ['0000992004', 2025, '5630Z', ['5630Z']],
    ['0000992005', 2007, '6910Z', ['6910Z']],
    ['0000992006', 2025, '6910Z', ['6910Z']],
    ['0000992007', 2025, '6910Z', ['6910Z']],
    ['0000992008', 2007, '6201Z', ['6201Z', '6202Z', '6210B']],
    ['0000992009', 2007, '7222Z', ['7222Z']],
    // Old entries of KRS have partial codes, which name a division (70), a group (431) or a class (4312).
    ['0000992010', 2007, '70', ['6910Z', '6920Z', '70']],
    ['0000992012', 2007, '431', ['41', '431', '4312', '4312Z']],
    ['0000992011', null, null, []],
  ])('of %s', async (krs, version, main, codes) => {
    const { rows } = await nights.db.pool.query(
      `select activity_version, activity_main, array(
         select distinct code from unnest(string_to_array(activity_codes, ',')) as code order by code
       ) as codes
       from registry.entry where krs = $1`,
      [krs],
    );
    expect(rows).toEqual([{ activity_version: version, activity_main: main, codes }]);
  });

  test('tells codes of no classification', async () => {
    const { rows } = await nights.db.pool.query(
      `select value from registry.notice where subject = 'activity' order by value`,
    );
    expect(rows).toEqual([{ value: '4' }, { value: '72.22.Z' }]);
  });

  test('stays where the codes fit both, whatever the kind of extract and the day', async () => {
    const summary = await runLines([
      currentLine({ krs: '0000992002', activities: ['6910Z'] }),
      fullLine('0000992005', 'SPÓŁKA 0000992005', '6910Z', '04.03.2019'),
      currentLine({ krs: '0000992007', identity: { nazwa: 'ALFA' }, activities: ['6910Z'] }),
    ]);
    expect(summary.event_types).toEqual({
      COMPANY_ACTIVITY_REMOVED: 1,
      COMPANY_MAIN_ACTIVITY_CHANGED: 1,
    });
  });

  test('tells codes on both sides of a recoding as neither added nor removed', async () => {
    const say = (krs: string, ...activities: string[]) => currentLine({ krs, activities });
    await runLines([
      say('0000992020', '6201Z', '201', '4791Z'),
      say('0000992021', '6201Z', '62', '7022Z'),
      say('0000992022', '201', '6201Z', '6202Z'),
      say('0000992023', '6201Z', '201'),
    ]);
    // Partial codes, such as the group 201, cause no notice of an unknown code.
    const summary = await runLines([
      // The extracts of the second day keep the partial code 201, and have codes of 2025 (partial or whole) in place of
      // codes of 2007.
      say('0000992020', '6210B', '201', '47'),
      say('0000992021', '6210B', '6220B', '7020Z'),
      say('0000992022', '201', '6210B', '622'),
      // The code 351 (energy) replaces the code 201 (chemistry) but is not its successor, so one activity is added.
      say('0000992023', '6210B', '351'),
    ]);
    expect(summary.notices).toEqual([]);
    expect(summary.event_types).toEqual({
      COMPANY_ACTIVITIES_RECLASSIFIED: 4,
      COMPANY_ACTIVITY_ADDED: 1,
      COMPANY_ACTIVITY_REMOVED: 1,
    });
    const { rows } = await nights.db.pool.query(
      `select krs, replace(event_type, 'COMPANY_ACTIVIT', '') as type, old_value, new_value
       from analyst.event where event_date = '2026-09-04' order by krs, event_type`,
    );
    expect(rows.map((row) => Object.values(row as object))).toEqual([
      ['0000992020', 'IES_RECLASSIFIED', '201,4791Z,6201Z', '201,47,6210B'],
      ['0000992021', 'IES_RECLASSIFIED', '62,6201Z,7022Z', '6210B,6220B,7020Z'],
      ['0000992022', 'IES_RECLASSIFIED', '201,6201Z,6202Z', '201,6210B,622'],
      ['0000992023', 'IES_RECLASSIFIED', '6201Z', '6210B'],
      ['0000992023', 'Y_ADDED', null, '351'],
      ['0000992023', 'Y_REMOVED', '201', null],
    ]);
  });
});
