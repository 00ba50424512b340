import { expect, test } from 'vitest';
import { gather, writeTestFile } from '../../../fixtures/dump/answer-file.ts';
import { answers } from './answer.ts';

const unit = {
  siren: '310000003',
  statutDiffusionUniteLegale: 'O',
  dateDernierTraitementUniteLegale: '2026-11-20T11:46:01.173',
  nombrePeriodesUniteLegale: 2,
  periodesUniteLegale: [
    {
      dateFin: null,
      dateDebut: '2024-01-01',
      denominationUniteLegale: 'ATELIER',
      changementDenominationUniteLegale: true,
    },
    { dateFin: '2023-12-31', dateDebut: '2019-03-01', denominationUniteLegale: 'ECHOPPE' },
  ],
};
const establishment = {
  siren: '320000001',
  nic: '00012',
  siret: '32000000100012',
  etablissementSiege: true,
  uniteLegale: { etatAdministratifUniteLegale: 'A', nicSiegeUniteLegale: '00012' },
  adresseEtablissement: { libelleVoieEtablissement: 'DES LILAS' },
  adresse2Etablissement: { libelleVoie2Etablissement: null },
  periodesEtablissement: [
    { dateFin: null, dateDebut: '2019-03-01', etatAdministratifEtablissement: 'A' },
  ],
};
const header = { statut: 200, message: 'OK', total: 2, nombre: 2, curseur: '*' };

async function read(file: string, content: string | Buffer) {
  const path = await writeTestFile(file, content);
  return gather(answers.readAnswers({ path, file }));
}

/**
 * Reads a file. Returns for each line its number, and the answer in the line or the reason why the line cannot be read.
 */
async function list(file: string, content: string | Buffer) {
  return (await read(file, content)).map((one) => [
    one.line,
    'answer' in one ? one.answer : one.reason,
  ]);
}

const whole = {
  siren: '310000003',
  own: {
    siren: '310000003',
    statut_diffusion: 'O',
    touched: '2026-11-20T11:46:01.173',
    date_debut: '2024-01-01',
    denomination: 'ATELIER',
  },
  odd: [],
};
const wholeOne = {
  siren: '320000001',
  own: {
    siren: '320000001',
    nic: '00012',
    siret: '32000000100012',
    etablissement_siege: 'true',
    libelle_voie: 'DES LILAS',
    date_debut: '2019-03-01',
    etat_administratif: 'A',
  },
  unit: { etat_administratif: 'A', nic_siege: '00012' },
  odd: [],
};

test('texts of answers are tidied as those of a stock, and nothing else is', async () => {
  const spaced = {
    ...unit,
    sigleUniteLegale: '  ',
    periodesUniteLegale: [{ dateFin: null, denominationUniteLegale: '  ATELIER\u00a0 DU  PORT ' }],
  };
  const [, tidied] = (await list('siren.json', JSON.stringify({ uniteLegale: spaced })))[0]!;
  expect(tidied).toMatchObject({ own: { sigle: null, denomination: 'ATELIER DU PORT' } });
});

test('an answer of /siren and of /siret gives its rows, with the columns of a stock alone', async () => {
  const page = JSON.stringify({ header, unitesLegales: [unit, unit] });
  expect((await list('siren.json', page)).flat()).toEqual([1, whole, 2, whole]);
  const single = JSON.stringify({ header, etablissement: establishment });
  expect(await list('siret.json', single)).toEqual([[1, wholeOne]]);
  const bare = JSON.stringify({ uniteLegale: unit });
  expect(await list('siren.json', bare)).toEqual([[1, whole]]);
});

test('lines are pages or bare rows, and each row has a number of its own', async () => {
  const lines = [
    { header, etablissements: [establishment, establishment] },
    unit,
    { header, unitesLegales: [] },
    establishment,
  ].map((line) => JSON.stringify(line));
  expect(await list('day.ndjson', `${lines.join('\n')}\n`)).toEqual([
    [1, wholeOne],
    [2, wholeOne],
    [3, whole],
    [4, wholeOne],
  ]);
});

test('nothing found is no answer, and no other status is one', async () => {
  const found = (statut: number, message: string) =>
    JSON.stringify({ header: { statut, message } });
  expect(await list('none.json', found(404, 'Aucun élément trouvé'))).toEqual([]);
  expect(await list('many.json', found(429, 'Trop de requêtes'))).toEqual([
    [1, 'an answer of status 429: Trop de requêtes'],
  ]);
});

test('what is no answer is rejected by itself', async () => {
  const bad = [
    '<!doctype html><html>',
    '{"header":',
    JSON.stringify({ ...unit, siren: '31000000' }),
    JSON.stringify({
      header,
      etablissements: [{ ...establishment, uniteLegale: undefined }, establishment],
    }),
    JSON.stringify({
      header,
      unitesLegales: [{ ...unit, periodesUniteLegale: [] }, 7, { ...unit, nom: 'a\0' }],
    }),
    JSON.stringify({ header: 7 }),
    '{}',
    JSON.stringify(unit),
  ];
  expect(await list('day.ndjson', bad.join('\n'))).toEqual([
    [1, 'a page of HTML'],
    [2, 'not JSON'],
    [3, 'not a unit: siren is no number of nine digits'],
    [4, 'not an establishment: uniteLegale Invalid input: expected object, received undefined'],
    [5, wholeOne],
    [6, 'not a unit: periodesUniteLegale Too small: expected array to have >=1 items'],
    [7, 'not a unit: Invalid input: expected object, received number'],
    [8, 'a NUL character'],
    [9, 'no answer of SIRENE: header Invalid input: expected object, received number'],
    [10, 'an answer without a unit or an establishment'],
    [11, whole],
  ]);
  expect(await list('day.json', Buffer.from([0x7b, 0xff]))).toEqual([[1, 'not UTF-8']]);
});

test('a field that no stock has is noted, at any depth', async () => {
  const more = {
    ...unit,
    uniteFuture: 1,
    periodesUniteLegale: [{ dateFin: null, humeurUniteLegale: 'A' }],
  };
  const [answer] = await read('one.json', JSON.stringify(more));
  const odd = ['humeurUniteLegale', 'uniteFuture'].map((value) => ({ subject: 'field', value }));
  expect(answer).toMatchObject({ answer: { odd } });
});

test('a unit was closed on the day of the period that closed it, whatever changed since', async () => {
  const closed = {
    ...unit,
    periodesUniteLegale: [
      { dateFin: null, dateDebut: '2026-02-01', etatAdministratifUniteLegale: 'C' },
      {
        dateFin: '2026-01-31',
        dateDebut: '2025-06-30',
        etatAdministratifUniteLegale: 'C',
        changementEtatAdministratifUniteLegale: true,
      },
    ],
  };
  const [answer] = await read('one.json', JSON.stringify(closed));
  expect(answer).toMatchObject({
    answer: { own: { etat_administratif: 'C', date_debut: '2025-06-30' } },
  });
});
