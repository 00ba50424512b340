import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { shape as ofApi } from '../api/environment.ts';
import { shape as ofPipeline } from '../pipeline/environment.ts';
import { shape as ofFetch } from '../pipeline/fetch/environment.ts';
import { nameMisspelt, settingNames } from '../sql/process/misspelt.ts';

test('the list of settings has what the programs read, and so has the guide of operators', async () => {
  const read = Object.keys({ ...ofApi, ...ofPipeline, ...ofFetch }).toSorted();
  expect(settingNames).toEqual(read);
  const guide = await readFile(new URL('../pipeline/README.md', import.meta.url), 'utf8');
  const [configure] = /^## Configure\n[^]*?(?=^## )/m.exec(guide)!;
  const rows = configure.split('\n').filter((line) => line.startsWith('| `'));
  const told = rows.flatMap((row) => row.split('|')[1]!.match(/\w{2,}/g) ?? []);
  expect(told.toSorted()).toEqual(read);
});

test.each([
  ['SMTP_ULR', 'SMTP_URL'],
  ['SEARCH_CREDIT', 'SEARCH_CREDITS'],
  ['SIREN_TOKEN', 'SIRENE_TOKEN'],
  ['DATABSE_URL', 'DATABASE_URL'],
  ['INBOX_DIRR', 'INBOX_DIR'],
  ['NIGHTLY-CRON', 'NIGHTLY_CRON'],
  ['smtp_url', 'SMTP_URL'],
  ['PROT', 'PORT'],
])('%s is named with %s, which is near', (given, near) => {
  expect(nameMisspelt({ [given]: 'secret' })).toEqual([`${given} is no setting; is it ${near}?`]);
});

test('settings, and variables of other programs, are not named', () => {
  const settings = Object.fromEntries(settingNames.map((name) => [name, '1']));
  const others =
    'PATH HOME HOSTNAME HOSTTYPE POST SPORT PGHOST PGPORT SMTP_HOST DATABASE_USER DB_URL BASE_DIR ' +
    'KMS_URL XDG_DATA_DIRS SESSION_KEY STRIPE_KEY LOG_FORMAT npm_command npm_config_loglevel NODE_OPTIONS ' +
    'TMPDIR LANG CONTRACT IP_DAY';
  const foreign = Object.fromEntries(others.split(' ').map((name) => [name, '1']));
  for (const name of settingNames) expect(nameMisspelt({ [name]: '1' })).toEqual([]);
  expect(nameMisspelt(foreign)).toEqual([]);
  // Of another program, since the setting itself is there.
  expect(nameMisspelt({ ...settings, DATABASE_URI: '1', CORS_ORIGIN: '1' })).toEqual([]);
});
