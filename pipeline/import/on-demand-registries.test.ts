import { expect, test } from 'vitest';
import { readFetchEnvironment } from '../fetch/environment.ts';
import { createOnDemandSources } from './on-demand-registries.ts';

test('a number is requested first from the registry that has all companies with such numbers', async () => {
  const KRS_URL = 'https://registry.example/api/krs';
  const keys = { KRS_URL, BIR_API_KEY: 'k', CEIDG_TOKEN: 't', SIRENE_TOKEN: 't' };
  const sources = await createOnDemandSources(readFetchEnvironment(keys));
  const answering = (type: string) =>
    sources.filter(({ answers }) => answers.includes(type)).map(({ source }) => source);
  expect(answering('KRS')).toEqual(['krs', 'regon']);
  expect(answering('NIP')).toEqual(['regon', 'ceidg']);
  expect(answering('SIRET')).toEqual(['sirene']);
  expect(await createOnDemandSources(readFetchEnvironment({ KRS_URL }))).toHaveLength(1);
});
