import { expect, test } from 'vitest';
import { findReport, findReportIn, tellReport } from './report-types.ts';

test.each([
  ['BIR11OsPrawna', 'OsPrawna'],
  ['BIR12OsPrawnaPkd', 'OsPrawnaPkd'],
  ['BIR121JednLokalnaOsPrawnej', 'JednLokalnaOsPrawnej'],
  [' BIR1.1JednLokalnaOsFizycznej', 'JednLokalnaOsFizycznej'],
  ['birBIR11OsFizycznaPkd', 'OsFizycznaPkd'],
  ['osfizycznadzialalnoscskreslonado20141108', 'OsFizycznaDzialalnoscSkreslonaDo20141108'],
  ['BIR12', undefined],
  ['', undefined],
])('the name %j is %s', (name, report) => {
  expect(findReport(name)?.name).toBe(report);
});

test.each([
  ['995200010-BIR12OsPrawnaPkd.xml', 'OsPrawnaPkd'],
  ['OsPrawnaListaJednLokalnych 2026-11-03.XML', 'OsPrawnaListaJednLokalnych'],
  ['995200010.xml', undefined],
])('the file %s has the report %s', (file, report) => {
  expect(findReportIn(file)?.name).toBe(report);
});

// Each case has fields of the official answers, whose names may be written in lower or upper case.
test.each([
  ['OsPrawna', 'praw_regon9 praw_nip praw_dataSkresleniaZRegon'],
  ['OsPrawnaPkd', 'praw_pkdKod praw_pkdNazwa praw_pkdPrzewazajace'],
  ['OsPrawnaPkd', 'praw_pkdWersja praw_pkdKod praw_pkdNazwa'],
  ['OsPrawnaListaJednLokalnych', 'lokpraw_regon14 lokpraw_nazwa lokpraw_dataPowstania'],
  [
    'JednLokalnaOsPrawnej',
    'lokpraw_regon14 lokpraw_nazwa lokpraw_numerWrejestrzeEwidencji lokpraw_dataZaistnieniaZmiany',
  ],
  ['JednLokalnaOsPrawnejPkd', 'lokpraw_pkdKod lokpraw_pkdNazwa'],
  ['OsPrawnaSpCywilnaWspolnicy', 'wspolsc_regonWspolnikSpolki wspolsc_nazwisko'],
  ['OsFizycznaDaneOgolne', 'fiz_regon9 fiz_nip fiz_nazwisko fiz_imie1'],
  [
    'OsFizycznaDzialalnoscCeidg',
    'fiz_regon9 fiz_nazwa fiz_dataOrzeczeniaOUpadlosci fizC_dataWpisuDoRejestruEwidencji',
  ],
  [
    'OsFizycznaDzialalnoscRolnicza',
    'fiz_regon9 fiz_nazwa fiz_dataSkresleniaDzialalanosciZRegon fiz_dataOrzeczeniaOUpadlosci',
  ],
  [
    'OsFizycznaDzialalnoscPozostala',
    'fiz_regon9 fiz_nazwa fiz_dataOrzeczeniaOUpadlosci fizP_RodzajRejestru_Symbol',
  ],
  ['OsFizycznaDzialalnoscSkreslonaDo20141108', 'fiz_regon9 fiz_nazwa fiz_adresEmail2'],
  ['OsFizycznaPkd', 'fiz_pkd_Kod fiz_pkd_Nazwa fiz_SilosID fiz_Silos_Symbol'],
  ['OsFizycznaPkd', 'fiz_pkdWersja fiz_pkdKod fiz_SilosSymbol'],
  ['OsFizycznaListaJednLokalnych', 'lokfiz_regon14 lokfiz_silosID lokfiz_silos_Symbol'],
  ['JednLokalnaOsFizycznej', 'lokfiz_regon14 lokfiz_silos_Nazwa lokfizC_NiePodjetoDzialalnosci'],
  ['JednLokalnaOsFizycznejPkd', 'lokfiz_pkd_Kod lokfiz_Silos_Symbol'],
  ['TypPodmiotu', 'Typ'],
  ['DaneSzukajPodmioty', 'Regon Nip StatusNip Nazwa Typ SilosID'],
  [undefined, 'nazwa adres'],
])('%s is told by %s', (report, fields) => {
  expect(tellReport(fields.toLowerCase().split(' '))?.name).toBe(report);
});
