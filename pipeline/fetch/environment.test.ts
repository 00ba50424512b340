import { expect, test } from 'vitest';
import { EnvironmentError } from '../../sql/process/environment.ts';
import { readFetchEnvironment } from './environment.ts';

test('nothing is set up without keys', () => {
  const nothing = { regon: undefined, krs: undefined, ceidg: undefined, sirene: undefined };
  expect(readFetchEnvironment({ BIR_API_KEY: '', KRS_URL: '', CEIDG_TOKEN: '' })).toEqual(nothing);
});

test('a key goes to the official address, or to the one that is given', () => {
  const keys = { BIR_API_KEY: 'key', CEIDG_TOKEN: 't', SIRENE_TOKEN: 't' };
  for (const name of ['regon', 'ceidg', 'sirene']) {
    const { url } = readFetchEnvironment(keys)[name] as { url: string };
    expect(new URL(url).protocol).toBe('https:');
  }
  const url = 'http://127.0.0.1:8080/api';
  const names = ['BIR_URL', 'CEIDG_URL', 'KRS_URL', 'SIRENE_URL', 'SIRENE_STOCK_URL'];
  const given = Object.fromEntries(names.map((name) => [name, url]));
  expect(readFetchEnvironment({ ...keys, ...given, CEIDG_URL: `${url}/` })).toEqual({
    regon: { url, key: 'key' },
    krs: { url },
    ceidg: { url, token: 't' },
    sirene: { url, token: 't', stockUrl: url },
  });
});

test.each([
  ['BIR_API_KEY', 'with space'],
  ['CEIDG_TOKEN', 'line\nbreak'],
  ['SIRENE_TOKEN', 'with space'],
  ['SIRENE_URL', 'https://example.test/api-sirene/3.11?q='],
  ['BIR_URL', 'ftp://example.test/service.svc'],
  ['KRS_URL', 'krs.example.test'],
  ['KRS_URL', 'https://example.test/api/krs#rejestr=P'],
  ['CEIDG_URL', 'https://user:password@example.test/api'],
])('%s that is wrong is named, its value is not', (name, value) => {
  const read = () => readFetchEnvironment({ [name]: value });
  expect(read).toThrow(EnvironmentError);
  expect(read).toThrow(new RegExp(`^${name} must be `));
  expect(read).not.toThrow(value);
});
