import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const files = ['api', 'pipeline', 'sql'].flatMap((side) =>
  readdirSync(join(root, side), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => join(side, file)),
);

/** Returns the room of a file: its folder of the second level (`api/http`), or the file itself in `api/`. */
const roomOf = (file: string) => file.split('/').slice(0, 2).join('/');

/** Returns the imported rooms of each room, or the imported files of each file if `nameOf` returns the file. */
function listImports(nameOf = roomOf): Map<string, Set<string>> {
  const imports = new Map<string, Set<string>>();
  for (const file of files) {
    const imported = imports.get(nameOf(file)) ?? new Set();
    imports.set(nameOf(file), imported);
    for (const [, path] of read(file).matchAll(/(?:from|import\()\s*'(\.[^']+\.ts)'/g)) {
      const other = nameOf(join(dirname(file), path!));
      if (other !== nameOf(file)) imported.add(other);
    }
  }
  return imports;
}

/** Returns the rooms that import each other in a circle, or lie between two circles; empty without circles. */
function findCircles(imports: Map<string, Set<string>>): string[] {
  const left = new Map(imports);
  for (;;) {
    const names = [...left.keys()];
    const isImporting = (name: string) => names.some((other) => left.get(name)!.has(other));
    const isImported = (name: string) => names.some((other) => left.get(other)!.has(name));
    const outside = names.filter((name) => !isImporting(name) || !isImported(name));
    if (outside.length === 0) return names;
    for (const name of outside) left.delete(name);
  }
}

test('no rooms import each other, and the two sides meet only in sql', () => {
  const imports = listImports();
  expect(imports.get('api/auth')).toContain('api/http');
  expect(findCircles(imports)).toEqual([]);
  const sideOf = (room: string) => room.split('/')[0]!;
  const across = [...imports].flatMap(([room, imported]) =>
    [...imported].filter((other) => ![sideOf(room), 'sql'].includes(sideOf(other))),
  );
  // Two imports across the sides are allowed: `registry serve` starts the API, and `npm start` checks its settings.
  expect(across).toEqual(['api/environment.ts', 'api/main.ts']);
  const aboveAttic = [...imports].filter(([, imported]) => imported.has('api/pages'));
  expect(aboveAttic.map(([room]) => room)).toEqual(['api/app.ts']);
});

test('no files import each other, by a type neither', () => {
  expect(findCircles(listImports((file) => file))).toEqual([]);
});

test('a folder has at most 20 files of code, and a file at most 300 lines', () => {
  // The packages and the generated file of the client example are not code of this project.
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

test('no code but that of its sources, its fetchers and its folder names a country', () => {
  const own =
    /^pipeline\/(sources\/\w+|fetch)\/|^sql\/(migrations|country|dictionary)\/|\.test\.ts$/;
  const texts = globSync('{api,pipeline,sql}/**/*.{ts,sql,eta,js}', { cwd: root });
  const naming = texts.filter((file) => {
    if (own.test(file)) return false;
    const code = read(file).replaceAll(/^ *(--|\/\/|\/?\*).*$/gm, '');
    return /['"`](PL|FR|SIREN|SIRET|sirene)['"`]|Europe\/|\bNAF|\bINSEE/.test(code);
  });
  // The only files that name a country have the setting NAF2025_FROM, the registries that can be asked for one
  // company, and the analysts' column `siren`.
  expect(naming.toSorted()).toEqual([
    'pipeline/environment.ts',
    'pipeline/import/on-demand-registries.ts',
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

/** Returns the files and packages that are loaded with a file, directly or by its imports. */
function loadedWith(file: string, loaded = new Set<string>()): Set<string> {
  loaded.add(file);
  if (!file.endsWith('.ts')) return loaded;
  for (const [, path] of read(file).matchAll(/^import (?!type )[^;]*?'([^']+)';$/gm)) {
    const imported = path!.startsWith('.') ? join(dirname(file), path!) : path!;
    if (!loaded.has(imported)) loadedWith(imported, loaded);
  }
  return loaded;
}

test('a command does not load the query builder of the API, which would take half of its start', () => {
  expect(loadedWith('api/main.ts')).toContain('kysely');
  const commands = files.filter((file) => file.startsWith('pipeline/console/'));
  expect(commands.flatMap((file) => [...loadedWith(file)])).toContain('pg');
  expect(commands.filter((file) => loadedWith(file).has('kysely'))).toEqual([]);
});
