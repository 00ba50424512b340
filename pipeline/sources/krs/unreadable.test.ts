import { expect, test } from 'vitest';
import { currentLine } from '../../../fixtures/dump/krs-extract.ts';
import { useKrsNights } from '../../../fixtures/dump/krs-nights.ts';

const { runLines, findEntry } = useKrsNights();

const suspended = (dataZawieszenia: string) => ({
  zawieszenieWznowienieDzialalnosci: [{ dataZawieszenia }],
});

const declared = (data: string) => ({ informacjaOOgloszeniuUpadlosci: { data } });

test('a day that is not readable is noted and stays as it was; the rest of the extract counts', async () => {
  const [krs, ended, fresh] = ['0000991004', '0000991005', '0000991006'];
  const columns = 'name, status, suspension_date, bankruptcy_start_date, other_dates';
  const bankrupt = (data: string) => ({ postepowanieUpadlosciowe: [declared(data)] });
  await runLines([
    currentLine({ krs, section6: { ...suspended('01.09.2026'), ...bankrupt('02.08.2026') } }),
    currentLine({ krs: ended }),
  ]);
  const summary = await runLines([
    currentLine({
      krs,
      identity: { nazwa: 'NOWA' },
      header: { dataRejestracjiWKRS: 'WIOSNĄ' },
      section6: { ...suspended('31.11.2026'), ...bankrupt('00.00.0000') },
    }),
    currentLine({ krs: ended, header: { dataWykreslenia: 'ZARAZ' }, section6: bankrupt('------') }),
    currentLine({ krs: fresh, section6: suspended('16.01.0001') }),
  ]);
  const at = 'dane.dzial6';
  const suspension = `${at}.zawieszenieWznowienieDzialalnosci.dataZawieszenia`;
  const opening = `${at}.postepowanieUpadlosciowe.informacjaOOgloszeniuUpadlosci.data`;
  expect(summary).toMatchObject({
    rejected: 0,
    event_types: { COMPANY_NAME_CHANGED: 1 },
    notices: [
      { subject: 'day', value: `${opening}: 00.00.0000` },
      { subject: 'day', value: `${suspension}: 16.01.0001` },
      { subject: 'day', value: `${suspension}: 31.11.2026` },
      { subject: 'day', value: 'naglowek.dataRejestracjiWKRS: WIOSNĄ' },
      { subject: 'day', value: 'naglowek.dataWykreslenia: ZARAZ' },
    ],
  });
  const registered = [{ type: 'Data rejestracji w KRS', date: '2019-03-04' }];
  const stood = ['SUSPENDED', '2026-09-01', '2026-08-02', registered];
  expect(await findEntry(krs, columns)).toEqual(['NOWA', ...stood]);
  const asBefore = [`SPÓŁKA ${ended}`, 'ACTIVE', null, null, registered];
  expect(await findEntry(ended, columns)).toEqual(asBefore);
  expect(await findEntry(fresh, 'status, suspension_date')).toEqual(['ACTIVE', null]);
});

test('a run of dashes is a blank', async () => {
  const krs = '0000991029';
  const at = (adres: object) => currentLine({ krs, section1: { siedzibaIAdres: { adres } } });
  await runLines([at({ ulica: 'POLNA', nrDomu: '4-6', nrLokalu: '---' })]);
  expect(await findEntry(krs, 'street, building, apartment')).toEqual(['POLNA', '4-6', null]);
  expect(await runLines([at({ ulica: 'POLNA', nrDomu: '4-6' })])).toMatchObject({ updated: 0 });
});
