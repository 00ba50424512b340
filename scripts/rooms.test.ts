import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

test('a folder has at most 20 files of code, and a file at most 300 lines', () => {
  // The client example's packages and generated file are not code of this project.
  const exclude = ['scripts/example/{node_modules,registry.ts}'];
  const all = globSync('{api,pipeline,sql,scripts}/**/*.{ts,sql,js}', { cwd: root, exclude });
  const code = all.filter(
    (file) => !file.endsWith('.test.ts') && !file.startsWith('sql/migrations/'),
  );
  const folders = Object.entries(Object.groupBy(code, (file) => dirname(file)));
  const full = folders.filter(([, inside]) => inside!.length > 20);
  expect(full.map(([folder]) => folder)).toEqual([]);
  const isLong = (file: string) => read(file).split('\n').length > 301;
  expect(code.filter(isLong)).toEqual([]);
});

test('nightly.ts names every step of a night', () => {
  const steps = readdirSync(join(root, 'sql/nightly'), { recursive: true, encoding: 'utf8' });
  const named = read('pipeline/night/nightly.ts').matchAll(/\d_\w+\/\w+/g);
  expect([...new Set([...named].map(String))].toSorted()).toEqual(
    steps.flatMap((file) => (file.endsWith('.sql') ? file.slice(0, -4) : [])).toSorted(),
  );
});

test('the table of rooms says what is done in every room of sql', () => {
  const table = /\| folder .*?\n\n/s.exec(read('scripts/README.md'))![0];
  const rooms = readdirSync(join(root, 'sql'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  expect(rooms.filter((room) => !table.includes(`\`sql/${room}/\``))).toEqual([]);
});

test('no code but that of its sources and its folder names a country', () => {
  const own = /^pipeline\/sources\/\w+\/|^sql\/(migrations|country|dictionary)\/|\.test\.ts$/;
  const texts = globSync('{api,pipeline,sql}/**/*.{ts,sql,eta,js}', { cwd: root });
  const naming = texts.filter((file) => {
    if (own.test(file)) return false;
    const code = read(file).replaceAll(/^ *(--|\/\/|\/?\*).*$/gm, '');
    return /['"`](PL|FR|SIREN|SIRET|sirene)['"`]|Europe\/|\bNAF|\bINSEE/.test(code);
  });
  // Two files may name a country or its registry: for the setting NAF2025_FROM, and for the analysts' column `siren`.
  expect(naming.toSorted()).toEqual([
    'pipeline/environment.ts',
    'sql/function/analyst/17_analyst.sql',
  ]);
});

test('the words of events are those of every country, but where its folder has its own', () => {
  const types = read('sql/dictionary/event_type.csv').matchAll(/^\w+,.*?("[^"]*\."|[^,"]*\.)$/gm);
  const words = [...types].map(([, description]) => description!);
  expect(words.length).toBeGreaterThan(40);
  for (const file of ['event-en', 'event-pl']) {
    const texts = JSON.parse(read(`sql/words/${file}.json`)) as { events: Record<string, string> };
    words.push(...Object.values(texts.events));
  }
  const own = /\b(NIP|REGON|KRS|CEIDG|PKD|SIREN|SIRET|RNA|NAF|INSEE)\b/;
  expect(words.filter((text) => own.test(text))).toEqual([]);
});
