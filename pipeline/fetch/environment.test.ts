import { describe, expect, test } from 'vitest';
import { EnvironmentError } from '../../sql/process/environment.ts';
import { WrongUsage } from '../errors.ts';
import { readFetchEnvironment, requireSettings } from './environment.ts';

describe('readFetchEnvironment', () => {
  test('nothing is set up without keys', () => {
    const nothing = { regon: undefined, krs: undefined, ceidg: undefined, sirene: undefined };
    expect(readFetchEnvironment({})).toEqual(nothing);
    expect(readFetchEnvironment({ BIR_API_KEY: '', KRS_URL: '', CEIDG_TOKEN: '' })).toEqual(
      nothing,
    );
  });

  test('a key goes to the official address, or to the one that is given', () => {
    const { regon, ceidg } = readFetchEnvironment({ BIR_API_KEY: 'key', CEIDG_TOKEN: 'token' });
    expect(new URL(regon!.url).protocol).toBe('https:');
    expect(new URL(ceidg!.url).protocol).toBe('https:');
    const url = 'http://127.0.0.1:8080/api';
    const given = {
      BIR_API_KEY: 'key',
      BIR_URL: url,
      CEIDG_TOKEN: 't',
      CEIDG_URL: url,
      KRS_URL: url,
      SIRENE_TOKEN: 't',
      SIRENE_URL: url,
      SIRENE_STOCK_URL: url,
    };
    expect(readFetchEnvironment(given)).toEqual({
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
    ['KRS_URL', 'https://example.test/api/krs?rejestr=P'],
    ['CEIDG_URL', 'https://user:password@example.test/api'],
  ])('%s that is wrong is named, its value is not', (name, value) => {
    const read = () => readFetchEnvironment({ [name]: value });
    expect(read).toThrow(EnvironmentError);
    expect(read).toThrow(new RegExp(`^${name} must be `));
    expect(read).not.toThrow(value);
  });
});

test('requireSettings names what is not set', () => {
  expect(() => requireSettings(undefined, 'BIR_API_KEY')).toThrow(WrongUsage);
  expect(() => requireSettings(undefined, 'BIR_API_KEY')).toThrow(/^BIR_API_KEY is not set: /);
  expect(requireSettings({ url: 'x' }, 'KRS_URL')).toEqual({ url: 'x' });
});
