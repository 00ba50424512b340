import { expect, test } from 'vitest';
import { currentLine, fullLine } from '../../../fixtures/dump/krs-extract.ts';
import { useKrsNights } from '../../../fixtures/dump/krs-nights.ts';

const { runLines, findEntry } = useKrsNights();

function newest(numerOstatniegoWpisu: number, stanZDnia = '01.10.2026') {
  return { numerOstatniegoWpisu, stanZDnia, dataOstatniegoWpisu: stanZDnia };
}

test('an extract that is older than the known one says nothing, and is noted', async () => {
  const krs = '0000991018';
  const at = (header: object, nazwa: string) => currentLine({ krs, header, identity: { nazwa } });
  await runLines([at(newest(7, '03.10.2026'), 'NOWA')]);
  expect(await runLines([at(newest(6, '02.10.2026'), 'DAWNA')])).toMatchObject({
    read: 0,
    rejected: 0,
    events: 0,
    notices: [{ subject: 'older extract', value: `${krs}, entry 6, state of 2026-10-02` }],
  });
  await runLines([at({ stanZDnia: '02.10.2026' }, 'DAWNA')]);
  expect(await findEntry(krs, 'name')).toEqual(['NOWA']);
  // The same extract of a later day moves what is known.
  await runLines([at(newest(7, '05.10.2026'), 'NOWA')]);
  await runLines([at({ stanZDnia: '04.10.2026' }, 'DAWNA')]);
  // Within a register the number decides, not the day.
  await runLines([at(newest(6, '06.10.2026'), 'DAWNA')]);
  expect(await findEntry(krs, 'name, version_no, version_date')).toEqual(['NOWA', 7, '2026-10-05']);
});

test('of two versions of one dump the newer one counts', async () => {
  const krs = '0000991019';
  const summary = await runLines([
    currentLine({ krs, header: newest(8, '03.10.2026'), identity: { nazwa: 'NOWA' } }),
    currentLine({ krs, header: newest(7, '02.10.2026'), identity: { nazwa: 'DAWNA' } }),
  ]);
  expect(summary).toMatchObject({ read: 1, accepted: 1, rejected: 0, new: 1 });
  expect(await findEntry(krs, 'name')).toEqual(['NOWA']);
});

test('a current extract counts that says the same as an older full one of the dump', async () => {
  const krs = '0000991028';
  const identity = { nazwa: 'GAMMA SPÓŁKA AKCYJNA' };
  const summary = await runLines([
    fullLine(krs, identity.nazwa, '6910Z', '04.03.2019'),
    currentLine({ krs, identity, activities: ['6910Z'], header: newest(2) }),
  ]);
  expect(summary).toMatchObject({ read: 1, accepted: 1, rejected: 0, new: 1 });
  expect(await findEntry(krs, 'version_no')).toEqual([2]);
});

test('a number that the register of entrepreneurs alone has struck off is not struck off', async () => {
  const krs = '0000991025';
  const header = { ...newest(9, '03.10.2026'), dataWykreslenia: '02.10.2026' };
  const summary = await runLines([
    currentLine({ krs, header }),
    currentLine({ krs, header: { ...newest(4, '03.10.2026'), rejestr: 'RejS' } }),
  ]);
  expect(summary).toMatchObject({ read: 1, accepted: 1, new: 1 });
  expect(await findEntry(krs, 'status, version_no')).toEqual(['ACTIVE', 4]);
});

test('a number that one register keeps is not struck off by another one on a later day', async () => {
  const krs = '0000991026';
  const kept = currentLine({ krs, header: { ...newest(4, '03.10.2026'), rejestr: 'RejS' } });
  await runLines([kept]);
  const ended = { ...newest(9, '05.10.2026'), dataWykreslenia: '01.09.2026' };
  expect(await runLines([currentLine({ krs, header: ended })])).toMatchObject({
    read: 0,
    events: 0,
    notices: [
      { subject: 'extract of another register', value: `${krs}, entry 9, state of 2026-10-05` },
    ],
  });
  expect(await findEntry(krs, 'status, version_register')).toEqual(['ACTIVE', 'RejS']);
  await runLines([currentLine({ krs, header: { ...ended, rejestr: 'RejS' } })]);
  expect(await findEntry(krs, 'status, version_register')).toEqual(['DELETED', 'RejS']);
});

test('of two registers of one dump that both keep a number, that of entrepreneurs counts', async () => {
  const krs = '0000991027';
  const [ofP, ofS] = ['RejP', 'RejS'].map((rejestr) =>
    currentLine({ krs, header: { ...newest(4), rejestr }, identity: { nazwa: rejestr } }),
  );
  expect(await runLines([ofS!, ofP!])).toMatchObject({ read: 1, accepted: 1, rejected: 0 });
  expect(await findEntry(krs, 'name')).toEqual(['RejP']);
});
