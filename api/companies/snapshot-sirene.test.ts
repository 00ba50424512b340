import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createSearcher } from '../../fixtures/client/searcher.ts';
import { startTestApi } from '../../fixtures/client/test-api.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { runDump } from '../../fixtures/dump/night.ts';
import { readEvents, runSirene } from '../../fixtures/dump/sirene-night.ts';

const database = await createTestDatabase();
for (const day of ['2026-09-30', '2026-10-02', '2026-10-05']) {
  const path = fileURLToPath(new URL(`../../fixtures/sirene/${day}`, import.meta.url));
  await runDump(database, path, day, { source: 'sirene' });
}
const api = await startTestApi({ db: database.kysely });
const searcher = await createSearcher(database.kysely, api, 10_000);

const snapshot = (identifier_type: string, identifier_value: string) =>
  searcher.snapshot({ identifier_type, identifier_value });

/** The part of an answer that the tests of other names read. */
interface Profiles {
  data: { profiles: { other_names: object[] }[] };
}

const besancon = {
  street: 'RUE BATTANT',
  building: '21',
  apartment: '',
  city: 'BESANCON',
  postal_code: '25000',
  voivodeship: 'Bourgogne-Franche-Comté',
  country_code: 'FR',
};

describe('POST /api/v1/companies/snapshot of a company in SIRENE', () => {
  test('200 has its head office first, at the address of the company, by SIRET too', async () => {
    const { body } = await snapshot('SIRET', '00099014300026');
    expect(body).toMatchObject({
      data: {
        identity: {
          identifiers: [
            { type: 'SIREN', value: '000990143' },
            { type: 'SIRET', value: '00099014300018' },
          ],
          company_type: 'LEGAL',
          country_code: 'FR',
        },
        profiles: [
          {
            source: 'sirene',
            name: 'HORLOGERIE DU DOUBS',
            status: 'ACTIVE',
            legal_form: 'SAS, société par actions simplifiée',
            address: besancon,
            units: [
              {
                identifier: '00099014300018',
                name: '',
                address: besancon,
                dates: [{ type: 'Date de création', date: '2012-03-01' }],
              },
              {
                identifier: '00099014300026',
                name: '',
                address: {
                  ...besancon,
                  street: 'RUE DU LAC',
                  building: '11',
                  city: 'MALBUISSON',
                  postal_code: '25160',
                },
                dates: [{ type: 'Date de création', date: '2018-05-14' }],
              },
            ],
            activities: [{ code: '2652Z', name: 'Horlogerie', is_primary: true }],
            dates: [{ type: 'Date de création', date: '2012-03-01' }],
          },
        ],
        persons: [],
      },
    });
  });

  test.each([
    [undefined, 'Date de création'],
    ['fr', 'Date de création'],
    ['en', 'Start of activity'],
    // The names of French dates have no Polish translation, so that the French name is shown.
    ['pl', 'Date de création'],
  ])('200 labels the days of the company and of its units in lang %s', async (lang, type) => {
    const named = { identifier_type: 'SIREN', identifier_value: '000990143', lang };
    const { status, body } = await searcher.snapshot(named);
    expect(status).toBe(200);
    const dates = [{ type, date: '2012-03-01' }];
    expect(body).toMatchObject({
      data: {
        profiles: [{ units: [{ dates }, { dates: [{ type, date: '2018-05-14' }] }], dates }],
      },
    });
  });

  test.each([
    [
      undefined,
      'Tranche d’effectifs 2023: 20 à 49 salariés',
      'Catégorie d’entreprise 2023: petite ou moyenne entreprise',
      'Économie sociale et solidaire: non',
      'Catégorie juridique: SAS, société par actions simplifiée',
      'Activité principale annoncée (NAF 2025): Horlogerie',
    ],
    [
      'en',
      'Workforce band 2023: 20 to 49 employees',
      'Company category 2023: small or medium-sized enterprise',
      'Social economy: no',
      'Code of legal form: SAS',
      'Announced main activity (NAF 2025): ',
    ],
  ])(
    '200 labels the attributes in lang %s',
    async (lang, workforce, category, social, form, activity) => {
      const named = { identifier_type: 'SIREN', identifier_value: '000990143', lang };
      const { body } = await searcher.snapshot(named);
      const year = '2023';
      expect((body as Profiles).data.profiles[0]).toMatchObject({
        other_names: [{ type: 'acronym', value: 'HDD' }],
        attributes: [
          { type: 'workforce_band', label: workforce, value: '12', year },
          { type: 'employer', value: 'N' },
          { type: 'company_category', label: category, value: 'PME', year },
          { type: 'social_economy', label: social, value: 'N' },
          { type: 'legal_form_code', label: expect.stringContaining(form), value: '5710' },
          { type: 'commune', label: 'Commune: 25056', value: '25056' },
          { type: 'departement', value: '25' },
          { type: 'activity_naf2025', label: expect.stringContaining(activity), value: '2652Y' },
        ],
      });
    },
  );

  test('200 names a person by birth, and a company by its sign', async () => {
    const named = async (siren: string) =>
      ((await snapshot('SIREN', siren)).body as Profiles).data.profiles[0]!.other_names;
    expect(await named('000990085')).toEqual([{ type: 'birth_name', value: 'CAMILLE ROUVIERE' }]);
    expect(await named('000990184')).toEqual([
      { type: 'sign', value: 'OSTREVANT ARRAS CENTRE' },
      { type: 'sign', value: 'OSTREVANT VALENCIENNES' },
    ]);
    // No sign is shown: the first company's establishment is closed, the owner of the second objects to publication,
    // and an establishment of the third is withheld.
    for (const siren of ['000990010', '000990093', '000990259']) {
      expect([siren, await named(siren)]).toEqual([siren, []]);
    }
  });

  test('a search finds the companies by other names and workforce, and withheld names by none', async () => {
    const find = async (query: string) => {
      const { body } = await searcher.search(`?country=FR&${query}`);
      const { results } = (body as { data: { results: { identifiers: { value: string }[] }[] } })
        .data;
      return results.map(({ identifiers }) => identifiers[0]!.value);
    };
    expect(await find('name=rouvi%C3%A8re')).toEqual(['000990085']);
    expect(await find('name=ostrevant%20valen')).toEqual(['000990184']);
    expect(await find('name=hdd&workforce_min=20')).toEqual(['000990143']);
    expect(await find('name=hdd&workforce_min=21')).toEqual([]);
    expect(await find('name=darrieux')).toEqual([]);
    expect(await find('workforce_min=0&siren=000990085')).toEqual(['000990085']);
  });

  test.each([
    ['2026-10-06', '47.77Z', { code: '4777Z', name: /horlogerie et de bijouterie/ }],
    ['2026-10-07', '52.4V', { code: '524V', name: /^$/ }],
    ['2026-10-08', '26.52Z', undefined],
  ])(
    '200 has the activity of a unit where it is another one, without an event: %s',
    async (day, code, activity) => {
      const siret = '00099014300026';
      const period = { dateFin: null, activitePrincipaleEtablissement: code };
      const row = { siren: '000990143', siret, uniteLegale: {}, periodesEtablissement: [period] };
      await runSirene(database, day, { 'siret.ndjson': JSON.stringify(row) });
      expect(await readEvents(database, day)).toEqual([]);
      const { body } = await snapshot('SIRET', siret);
      const [profile] = (body as { data: { profiles: { units: { activity?: object }[] }[] } }).data
        .profiles;
      const name = activity && expect.stringMatching(activity.name);
      expect(profile!.units.map((unit) => unit.activity)).toEqual([
        undefined,
        activity && { ...activity, name },
      ]);
    },
  );

  test('200 counts the units that are closed, where any are', async () => {
    const profileOf = async (siren: string) => {
      const { body } = await snapshot('SIREN', siren);
      return (body as { data: { profiles: object[] } }).data.profiles[0]!;
    };
    expect(await profileOf('000990044')).toMatchObject({ closed_unit_count: 1 });
    expect(await profileOf('000990143')).not.toHaveProperty('closed_unit_count');
    const { rows } = await database.pool.query(
      `select siren, closed_unit_count from analyst.entry
       where siren in ('000990044', '000990143') order by siren`,
    );
    expect(rows).toEqual([
      { siren: '000990044', closed_unit_count: 1 },
      { siren: '000990143', closed_unit_count: null },
    ]);
  });

  test('200 shows of one who objects the commune and no name', async () => {
    const { body } = await snapshot('SIREN', '000990093');
    const address = { street: '', postal_code: '', city: 'BORDEAUX' };
    const profiles = [{ name: '', status: 'ACTIVE', address }];
    expect(body).toMatchObject({ data: { profiles, persons: [] } });
    expect(JSON.stringify(body)).not.toMatch(/DARRIEUX|NEUVE|\[ND\]/);
  });

  test('200 keeps the name of a legal person that objects in its profile alone', async () => {
    const { body } = await snapshot('SIREN', '000990267');
    expect(body).toMatchObject({ data: { profiles: [{ name: 'DOMAINE DE PUYGARENNE' }] } });
    const { rows } = await database.pool.query(
      `select name from registry.company where numbers ->> 'SIREN' in ('000990267', '000990333')`,
    );
    expect(rows).toEqual([{ name: null }, { name: null }]);
  });
});
