import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { legalPerson, naturalPerson } from '../../../fixtures/registry/bir-entity.ts';
import {
  type BirContent,
  type BirStub,
  notFound,
  startBirStub,
} from '../../../fixtures/registry/bir-stub.ts';
import { createInbox, hasty, planOf, readObjects } from '../../../fixtures/registry/fetching.ts';
import { Refusal } from '../../errors.ts';
import { Bir } from './bir.ts';
import { fetchRegon } from './fetch.ts';
import type { ReportLine } from './fetch-report.ts';
import type { BirRow } from './soap.ts';

const date = '2026-11-19';
const key = 'klucz-klucz-klucz-00';

const company = legalPerson('997102004', '1000700502', 'ZMYŚLONA "ŻÓŁĆ" & SYN <SP. Z O.O.>');
const branch = '99711201400013';
const withBranches = legalPerson('997112014', '1001701509', 'ODDZIAŁOWA S.A.', {
  form: '116',
  units: [branch, '99711201400020'],
});
const partnership = legalPerson('997122024', '1002702505', 'ZMYŚLONY I WSPÓLNIK', { form: '019' });
const farmer = naturalPerson('997132034', '1003703501', 'ŹDŹBŁO', ['Ceidg', 'Rolnicza']);
const dentist = naturalPerson('997142044', '1004704508', 'ĆWIĘKAŁA', ['Pozostala']);
const entities = [company, withBranches, partnership, farmer, dentist];
const newest = 'BIR11NowePodmiotyPrawneOrazDzialalnosciOsFizycznych';
const lists = {
  [newest]: ['997132034', '997132034', '997102004'],
  BIR11AktualizowanePodmiotyPrawneOrazDzialalnosciOsFizycznych: ['997122024', '99710200400000'],
  BIR11SkreslonePodmiotyPrawneOrazDzialalnosciOsFizycznych: ['997142044'],
  BIR11SkresloneJednostkiLokalne: [branch],
};
const content = { key, lists, entities };

let inbox: string;
const folder = () => join(inbox, 'regon', date);

beforeEach(async () => {
  inbox = await createInbox();
});

const start = (changed: Partial<BirContent> = {}) => startBirStub({ ...content, ...changed });

const fetchDay = ({ url }: BirStub) =>
  fetchRegon(new Bir({ url, key, ...hasty }), planOf(inbox, date));

const readList = (name: string) => readFile(join(folder(), name), 'utf8');

const readLines = () => readObjects<ReportLine>(join(folder(), 'reports.ndjson'));

async function readReports(): Promise<string[]> {
  const lines = await readLines();
  return lines.map(({ report, regon, data }) => `${report} ${regon} ${data.length}`).toSorted();
}

function error(ErrorCode: string): BirRow[] {
  return [{ ErrorCode, pRegon: '', ErrorMessageEn: 'x' }];
}

const allReports = [
  'BIR12JednLokalnaOsPrawnej 99711201400013 1',
  'BIR12JednLokalnaOsPrawnejPkd 99711201400013 1',
  'BIR12OsFizycznaDaneOgolne 997132034 1',
  'BIR12OsFizycznaDaneOgolne 997142044 1',
  'BIR12OsFizycznaDzialalnoscCeidg 997132034 1',
  'BIR12OsFizycznaDzialalnoscPozostala 997142044 1',
  'BIR12OsFizycznaDzialalnoscRolnicza 997132034 1',
  'BIR12OsFizycznaListaJednLokalnych 997132034 0',
  'BIR12OsFizycznaListaJednLokalnych 997142044 0',
  'BIR12OsFizycznaPkd 997132034 1',
  'BIR12OsFizycznaPkd 997142044 1',
  'BIR12OsPrawna 997102004 1',
  'BIR12OsPrawna 997112014 1',
  'BIR12OsPrawna 997122024 1',
  'BIR12OsPrawnaListaJednLokalnych 997102004 0',
  'BIR12OsPrawnaListaJednLokalnych 997112014 2',
  'BIR12OsPrawnaListaJednLokalnych 997122024 0',
  'BIR12OsPrawnaPkd 997102004 1',
  'BIR12OsPrawnaPkd 997112014 1',
  'BIR12OsPrawnaPkd 997122024 1',
  'BIR12OsPrawnaSpCywilnaWspolnicy 997122024 1',
];

describe('fetchRegon', () => {
  test('writes the daily lists, and every report that has something to say', async () => {
    const stub = await start();
    expect(await fetchDay(stub)).toEqual({
      source: 'regon',
      dump_date: date,
      state: 'fetched',
      asked: 5,
      had: 5,
      not_found: [],
      without_extract: [],
      odd: [],
      missing: [],
      left: 0,
    });
    const names = ['deleted.txt', 'new.txt', 'reports.ndjson', 'updated.txt'];
    expect(await readdir(folder())).toEqual(names);
    expect(await readList('new.txt')).toBe('997102004\n997132034\n');
    expect(await readList('updated.txt')).toBe('997102004\n997122024\n');
    expect(await readList('deleted.txt')).toBe('997142044\n');
    expect(await readReports()).toEqual(allReports);
    expect(stub.calls().filter((call) => call.startsWith('Zaloguj'))).toHaveLength(1);
    // All reports of an entity are consecutive lines of the file.
    const regons = (await readLines()).map(({ regon }) => regon.slice(0, 9));
    const runs = regons.filter((regon, at) => regon !== regons[at - 1]);
    expect(runs).toHaveLength(5);
  });

  test('a day on which nothing happened', async () => {
    const stub = await start({ lists: {}, answers: { [newest]: [notFound] } });
    expect(await fetchDay(stub)).toMatchObject({ asked: 0, had: 0 });
    expect(await readList('new.txt')).toBe('');
    expect(await readReports()).toEqual([]);
    expect(stub.calls().filter((call) => call.startsWith('DaneSzukaj'))).toEqual([]);
  });

  test('more numbers than one search takes', async () => {
    const many = Array.from({ length: 45 }, (_, at) => `9980000${String(at).padStart(2, '0')}`);
    const stub = await start({
      lists: { [newest]: many },
      entities: many.map((regon) => legalPerson(regon, '', 'SPÓŁKA')),
    });
    expect(await fetchDay(stub)).toMatchObject({ asked: 45, had: 45 });
    const searches = stub.calls().filter((call) => call.startsWith('DaneSzukajPodmioty'));
    expect(searches.map((call) => call.split(',').length)).toEqual([20, 20, 5]);
    // No request asks for the type of an entity, because the search result states the type.
    expect(stub.calls().join()).not.toContain('TypPodmiotu');
  });

  test('a listed number without an answer is an outcome, and so are the codes 11, 21 and 22', async () => {
    const stub = await start({
      lists: {
        ...lists,
        [newest]: ['999999999', '997152054', '12AB', ''],
      },
      entities: [...entities, legalPerson('997152054', '', 'BEZ DANYCH')],
      answers: {
        'BIR12OsFizycznaPkd 997142044': error('11'),
        'BIR12OsPrawnaSpCywilnaWspolnicy 997122024': error('22'),
        // REGON's search finds the number 997152054, but REGON has no report for this number.
        'BIR12OsPrawna 997152054': error('4'),
      },
    });
    expect(await fetchDay(stub)).toMatchObject({
      asked: 6,
      had: 4,
      not_found: ['997152054', '999999999'],
      odd: ['12AB'],
    });
    const errors = (await readLines()).filter(({ data }) => data[0]?.ErrorCode !== undefined);
    const told = errors.map(
      ({ report, regon, data }) => `${report} ${regon} ${data[0]!.ErrorCode}`,
    );
    expect(told.toSorted()).toEqual([
      'BIR12OsFizycznaPkd 997142044 11',
      'BIR12OsPrawna 997152054 4',
      'BIR12OsPrawnaSpCywilnaWspolnicy 997122024 22',
      'BIR12TypPodmiotu 999999999 4',
    ]);
    expect(await readList('new.txt')).toBe('997152054\n999999999\n');
  });

  test('without a search that works it asks for the kind of each', async () => {
    const stub = await start();
    stub.interfere(({ body }) => (body.includes('Regony9zn') ? { status: 500 } : undefined));
    expect(await fetchDay(stub)).toMatchObject({ asked: 5, had: 5 });
    const kinds = (await readReports()).filter((line) => line.startsWith('BIR12TypPodmiotu'));
    expect(kinds).toHaveLength(5);
  });

  test('refuses a day that GUS keeps no lists of any more', async () => {
    const stub = await start({ answers: { [newest]: [{ ErrorCode: '101' }] } });
    const sentence = `GUS has no lists of ${date}; it keeps those of about a week`;
    await expect(fetchDay(stub)).rejects.toThrow(new Refusal(sentence));
    expect(existsSync(folder())).toBe(false);
  });

  test('refuses when too much cannot be had, and goes on from there the next time', async () => {
    const stub = await start();
    stub.interfere(({ body }) =>
      /<ns:pRegon>9971[0-3]/.test(body) && body.includes('Pkd<') ? { status: 500 } : undefined,
    );
    await expect(fetchDay(stub)).rejects.toThrow(
      /^4 of 5 numbers could not be had, such as 9971\d{5} \(REGON answers with HTTP 500\)/,
    );
    expect(existsSync(folder())).toBe(false);
    const before = stub.requests.length;
    stub.interfere(() => undefined);
    expect(await fetchDay(stub)).toMatchObject({ asked: 5, had: 5 });
    const again = stub.calls().slice(before).join('\n');
    expect(again).not.toContain('DanePobierzRaportZbiorczy');
    expect(again).not.toContain('997142044');
    expect(await readReports()).toEqual(allReports);
  });

  test('what little cannot be had is named', async () => {
    const stub = await start();
    stub.interfere(({ body }) =>
      body.includes('<ns:pRegon>997142044<') ? { status: 500 } : undefined,
    );
    const missing = [{ number: '997142044', reason: 'REGON answers with HTTP 500' }];
    expect(await fetchDay(stub)).toMatchObject({ asked: 5, had: 4, missing });
    const report = await readFile(`${folder()}.fetched.json`, 'utf8');
    expect(JSON.parse(report)).toMatchObject({ missing });
    expect((await readReports()).join()).not.toContain('997142044');
  });
});
