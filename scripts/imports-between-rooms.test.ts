import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const files = ['api', 'pipeline', 'sql'].flatMap((side) =>
  readdirSync(join(root, side), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => join(side, file)),
);

/**
 * Returns the room of a file: its folder of the second level (`api/http`), or a file directly in `api/` itself. Each
 * source is a room of its own, because the other rooms load sources by their names only.
 */
const roomOf = (file: string) => /^[^/]+\/(sources\/[^/]+(?=\/)|[^/]+)/.exec(file)![0];

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

/** Returns the rooms that import each other in a circle, or lie between two such circles; empty without circles. */
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
  const sources = [...imports.values()].flatMap((imported) => [...imported]);
  expect(sources.filter((room) => room.startsWith('pipeline/sources/'))).toEqual([]);
  const sideOf = (room: string) => room.split('/')[0]!;
  const across = [...imports].flatMap(([room, imported]) =>
    [...imported].filter((other) => ![sideOf(room), 'sql'].includes(sideOf(other))),
  );
  // Two files of `api` may be imported: `registry serve` starts the API, and `npm start` checks its settings.
  expect(across).toEqual(['api/environment.ts', 'api/main.ts']);
  const aboveAttic = [...imports].filter(([, imported]) => imported.has('api/pages'));
  expect(aboveAttic.map(([room]) => room)).toEqual(['api/app.ts']);
});

test('no files import each other, by a type neither', () => {
  expect(findCircles(listImports((file) => file))).toEqual([]);
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
