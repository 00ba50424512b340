import { describe, expect, it } from 'vitest';
import { EnvironmentError } from '../sql/environment.ts';
import { readEnvironment } from './environment.ts';

describe('readEnvironment', () => {
  it('has a default for everything', () => {
    const defaults = {
      port: 8080,
      databaseUrl: undefined,
      dataDir: '.data',
      trustProxy: false,
      logLevel: 'info',
    };
    expect(readEnvironment({})).toEqual(defaults);
    expect(
      readEnvironment({ PORT: '', DATABASE_URL: '', DATA_DIR: '', TRUST_PROXY: '', LOG_LEVEL: '' }),
    ).toEqual(defaults);
  });

  it('reads what is set', () => {
    expect(
      readEnvironment({
        PORT: '0',
        DATABASE_URL: 'postgresql:///registry?host=/run/postgresql',
        DATA_DIR: '/var/lib/registry',
        TRUST_PROXY: '2',
        LOG_LEVEL: 'silent',
      }),
    ).toEqual({
      port: 0,
      databaseUrl: 'postgresql:///registry?host=/run/postgresql',
      dataDir: '/var/lib/registry',
      trustProxy: 2,
      logLevel: 'silent',
    });
  });

  it.each([
    ['0', false],
    ['16', 16],
    ['10.0.0.1', ['10.0.0.1']],
    ['10.0.0.0/8, 2001:db8::/32,loopback', ['10.0.0.0/8', '2001:db8::/32', 'loopback']],
  ])('trusts the proxies %s', (TRUST_PROXY, trustProxy) => {
    expect(readEnvironment({ TRUST_PROXY }).trustProxy).toEqual(trustProxy);
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '80a'],
    ['PORT', '-1'],
    ['PORT', '8080.5'],
    ['DATABASE_URL', 'mysql://user:secret@host/name'],
    ['DATABASE_URL', 'localhost'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '17'],
    ['TRUST_PROXY', '-1'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', '::/0'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.0/8,'],
    ['TRUST_PROXY', '10.0.0.0/8/8'],
    ['TRUST_PROXY', 'example.com'],
    ['LOG_LEVEL', 'verbose'],
  ])('refuses %s=%s in a sentence that names it', (name, value) => {
    const read = (): unknown => readEnvironment({ [name]: value });
    expect(read).toThrow(EnvironmentError);
    expect(read).toThrow(new RegExp(`^${name} must be [^\\n]+\\.$`));
    expect(read).not.toThrow(/secret/);
  });

  it('names every wrong variable once', () => {
    const wrong = { PORT: 'x', LOG_LEVEL: 'y', TRUST_PROXY: 'true' };
    expect(() => readEnvironment(wrong)).toThrow(
      /^LOG_LEVEL must be .+\.\nPORT must be .+\.\nTRUST_PROXY must be .+\.$/,
    );
  });
});
