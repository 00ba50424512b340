import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { shape as ofApi } from '../api/environment.ts';
import { shape as ofPipeline } from '../pipeline/environment.ts';
import { shape as ofFetch } from '../pipeline/fetch/environment.ts';
import { nameMisspelt } from '../sql/process/misspelt.ts';

const settingNames = Object.keys({ ...ofApi, ...ofPipeline, ...ofFetch });

test('the guide of operators has the settings that the programs read', async () => {
  const guide = await readFile(new URL('../pipeline/README.md', import.meta.url), 'utf8');
  const [configure] = /^## Configure\n[^]*?(?=^## )/m.exec(guide)!;
  const rows = configure.split('\n').filter((line) => line.startsWith('| `'));
  const told = rows.flatMap((row) => row.split('|')[1]!.match(/\w{2,}/g) ?? []);
  expect(told.toSorted()).toEqual(settingNames.toSorted());
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
  const hints = nameMisspelt({ [given]: 'secret' }, settingNames);
  expect(hints).toEqual([`${given} is no setting; is it ${near}?`]);
});

test('settings, and variables of other programs, are not named', () => {
  const settings = Object.fromEntries(settingNames.map((name) => [name, '1']));
  const others =
    'PATH HOME HOSTNAME HOSTTYPE POST SPORT PGHOST PGPORT SMTP_HOST DATABASE_USER DB_URL BASE_DIR ' +
    'KMS_URL XDG_DATA_DIRS SESSION_KEY STRIPE_KEY LOG_FORMAT npm_command npm_config_loglevel NODE_OPTIONS ' +
    'TMPDIR LANG CONTRACT IP_DAY';
  const foreign = Object.fromEntries(others.split(' ').map((name) => [name, '1']));
  // A program that reads only some of the product's settings must not report the other settings as misspelt.
  for (const shape of [ofApi, ofPipeline, ofFetch])
    for (const name of settingNames)
      expect(nameMisspelt({ [name]: '1' }, Object.keys(shape))).toEqual([]);
  expect(nameMisspelt(foreign, settingNames)).toEqual([]);
  // Because DATABASE_URL and CORS_ORIGINS are set, DATABASE_URI and CORS_ORIGIN must belong to other programs.
  const more = { ...settings, DATABASE_URI: '1', CORS_ORIGIN: '1' };
  expect(nameMisspelt(more, settingNames)).toEqual([]);
});
