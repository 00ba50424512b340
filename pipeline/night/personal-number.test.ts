import { expect, test } from 'vitest';
import { fileName, header, makeRow, withFields } from '../../fixtures/dump/bad-dump.ts';
import { extract } from '../../fixtures/dump/krs-day.ts';
import { company, nipOf, regonOf } from '../../fixtures/dump/regon-day.ts';
import { runSirene } from '../../fixtures/dump/sirene-night.ts';
import {
  makeEstablishment,
  makeStock,
  makeUnit,
  type StockFiles,
} from '../../fixtures/dump/sirene-stock.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { findClearText } from '../../fixtures/registry/clear-text.ts';
import { loadSource } from '../sources/source.ts';
import { verify } from './verify.ts';

const pesel = '02270803624';
const named = `PESEL ${pesel}`;
/** A telephone number in Kraków that is also a valid PESEL, of a person born on 23 December 1948. */
const telephone = '48122345676';

const db = await createTestDatabase();

const lines = (...texts: (string | object)[]) =>
  texts.map((text) => (typeof text === 'string' ? text : JSON.stringify(text))).join('\n');

const krs = '0000990001';
const siren = '310000003';
const ceidg = (...rows: string[]): StockFiles => ({
  [fileName('opolskie')]: lines(header, ...rows),
});

const spouse = { nazwa: 'BÓR', posiadaneUdzialy: `5 UDZIAŁÓW, Z ŻONĄ EWĄ, ${named}` };

/**
 * For each registry: a dump without a PESEL, the next day's dump with a PESEL in each possible field, and the entry's
 * name after the second dump.
 */
const days: Record<string, readonly [StockFiles, StockFiles, string]> = {
  ceidg: [
    ceidg(makeRow(1)),
    ceidg(
      withFields(makeRow(1), {
        NazwaPodmiotu: `JAN, ${named}`,
        Telefon: telephone,
        Email: pesel,
        Ulica: pesel,
        NrLokalu: '"0227080&#51;624"',
      }),
      withFields(makeRow(2), { Nip: pesel, NazwaPodmiotu: named }),
      withFields(makeRow(3), { DataRozpoczeciaDzialalnosci: named }),
      `${named};too few fields`,
    ),
    'JAN, PESEL ***********',
  ],
  regon: [
    { 'a.ndjson': lines(...company(regonOf(1), nipOf(1))) },
    {
      'a.ndjson': lines(
        ...company(regonOf(1), nipOf(1), {
          nazwa: `JAN, ${named}`,
          numerTelefonu: telephone,
          numerFaksu: pesel,
        }),
        ...company(regonOf(2), pesel),
        { report: named, regon: regonOf(3), data: [{ praw_nazwa: pesel }] },
        `${named} no JSON`,
      ),
    },
    'JAN, PESEL ***********',
  ],
  krs: [
    { 'a.ndjson': lines(extract(krs, {})) },
    {
      'a.ndjson': lines(
        extract(krs, {
          name: `JAN, ${named}`,
          shareholders: [spouse, { nazwa: named, krs: { krs: pesel } }],
          branches: [`${named}, ${pesel}`],
          board: { 'A** B**': named },
        }),
        extract('0000990002', { nip: pesel, struckOff: named }),
        extract(pesel, {}),
        `${named} no JSON`,
      ),
    },
    'JAN, PESEL ***********',
  ],
  sirene: [
    makeStock([makeUnit(siren)], [makeEstablishment(siren)]),
    makeStock(
      [makeUnit(siren, { denominationUniteLegale: `JAN ${named}`, sigleUniteLegale: pesel })],
      [makeEstablishment(siren, '00012', { enseigne1Etablissement: named })],
    ),
    'JAN PESEL ***********',
  ],
};

/** Returns an SQL statement that fails if a table of the night contains the PESEL. */
const lookAtStage = (source: string) => `
  do $do$
  declare
    searched regclass;
    is_there boolean;
  begin
    for searched in
      select pg_class.oid from pg_class
      where relnamespace = 'stage_${source}'::regnamespace and relkind = 'r'
    loop
      execute format('select exists (select from %s as t where t::text like %L)', searched, '%${pesel}%')
      into is_there;
      if is_there then raise exception '% holds the number', searched; end if;
    end loop;
  end;
  $do$`;

test.each(Object.entries(days))(
  'a PESEL in a dump of %s reaches no table',
  async (source, [before, after, name]) => {
    await runSirene(db, '2026-11-02', before, { source });
    const loaded = await loadSource(source);
    const description = { ...loaded, note: `${loaded.note ?? ''}; ${lookAtStage(source)}` };
    await runSirene(db, '2026-11-03', after, { source, description });
    expect(await findClearText(db, '', [pesel])).toEqual([]);
    const { rows } = await db.pool.query(
      `select name, phone, fax, email from registry.entry
       where source = $1 and name like 'JAN%'`,
      [source],
    );
    const phone = ['ceidg', 'regon'].includes(source) ? telephone : null;
    expect(rows).toEqual([{ name, phone, fax: null, email: null }]);
    expect(await verify(db, source)).toEqual([]);
  },
);
