import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRecord } from '../../fixtures/dump/parse-record.ts';
import { learn, toBytes } from '../../fixtures/dump/yesterday.ts';
import type { KnownFingerprints } from './known-fingerprints.ts';
import { joinHalves } from './line-memory.ts';
import { RECORD_BYTES } from './record-scanner.ts';
import { type RecordHandler, RecordSplitter } from './record-splitter.ts';

const context = { seed: 5n, skipsNumber: false };
const print = fc
  .oneof(fc.bigInt({ min: -2n, max: 2n }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))
  .filter((value) => value !== 0n);

function listMissing(known: KnownFingerprints): bigint[] {
  const found: bigint[] = [];
  for (const batch of known.missing()) found.push(...batch);
  return found.toSorted(ascending);
}

function ascending(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

describe('KnownFingerprints', () => {
  test('does what a map of the fingerprints does', () => {
    const prints = fc.array(print, { maxLength: 150 });
    const steps = fc.array(fc.record({ print, again: fc.nat() }), { maxLength: 300 });
    fc.assert(
      fc.property(prints, fc.array(fc.nat(), { maxLength: 5 }), steps, (distinct, twice, list) => {
        const added = [...distinct, ...twice.flatMap((at) => distinct[at % distinct.length] ?? [])];
        const known = learn(added);
        const model = new Map<bigint, 'not met' | 'met' | 'shared'>();
        for (const value of added) model.set(value, model.has(value) ? 'shared' : 'not met');
        for (const step of list) {
          // Every second step looks up a fingerprint that is in the table.
          const met =
            step.again % 2 ? (added[step.again % added.length] ?? step.print) : step.print;
          expect(known.meet(met)).toBe(model.get(met) === 'not met');
          if (model.get(met) === 'not met') model.set(met, 'met');
        }
        const missing = [...model.keys()].filter((value) => model.get(value) !== 'met');
        expect(listMissing(known)).toEqual(missing.toSorted(ascending));
      }),
      { numRuns: 500 },
    );
  });

  test('has room for as many as are added, whatever their bits are', () => {
    const prints = Array.from({ length: 400_000 }, (_, at) => BigInt(at + 1));
    const known = learn(prints);
    const odd = prints.filter((value) => value % 2n === 1n);
    expect(odd.every((value) => known.meet(value))).toBe(true);
    expect(odd.some((value) => known.meet(value))).toBe(false);
    const even = prints.filter((value) => value % 2n === 0n);
    expect(listMissing(known).join()).toBe(even.join());
    expect(known.learn(toBytes(prints.slice(0, 20_000)))).toBe(true);
    expect(known.learn(toBytes(prints.slice(0, 50_000)))).toBe(false);
  });

  test('takes a known record with quotes over several lines, and leaves an unknown one', () => {
    const known = learn([]);
    const lines = ['a;"b"', 'a;"b\nc;""d"', 'e', 'f;"', 'g'];
    const prints = lines
      .slice(0, 3)
      .map((text) => known.fingerprint(0, known.memory.area.write(text), context));
    const yesterday = learn(prints);
    const length = yesterday.memory.area.write(lines.map((text) => `${text}\r\n`).join(''));
    const data = yesterday.memory.area.subarray(0, length);
    const passed = yesterday.pass(data, 0, 1, context);
    expect(passed.known_count).toBe(3);
    expect(passed.feed_count).toBe(4);
    expect(yesterday.memory.area.toString('latin1', passed.end, length)).toBe('f;"\r\ng\r\n');
  });

  test('finds in chunks the unknown records that one look at each line finds', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'ż', ';', '"', '\r', '1'), maxLength: 40 });
    const long = fc.constant('x'.repeat(RECORD_BYTES + 1));
    const lines = fc.array(fc.oneof({ weight: 50, arbitrary: line }, long), { maxLength: 30 });
    const cuts = fc.array(fc.nat(100_000), { maxLength: 5 });
    fc.assert(
      fc.property(lines, fc.array(fc.nat()), cuts, (list, yesterday, places) => {
        const bytes = Buffer.from(list.map((text) => `${text}\n`).join(''));
        const looked = (isPassing: boolean) => {
          const known = learn([]);
          const prints = yesterday.flatMap((at) => {
            const text = list[at % list.length]?.replace(/\r$/, '');
            if (!text || text.length > RECORD_BYTES) return [];
            // Records that the parser refuses are skipped, because a night does not accept them.
            if (parseRecord(Buffer.from(text)) === undefined) return [];
            return known.fingerprint(0, known.memory.area.write(text), context);
          });
          return read(learn(prints), bytes, isPassing, places);
        };
        expect(looked(true)).toEqual(looked(false));
      }),
      { numRuns: 300 },
    );
  });

  test('runs the code that stands beside its source', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'registry-wasm-'));
    const root = fileURLToPath(new URL('../../', import.meta.url));
    const built = join(folder, 'lines.wasm');
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      scripts: { wasm: string };
    };
    const [program, ...flags] = scripts.wasm.split(' ');
    await promisify(execFile)(`node_modules/.bin/${program}`, [...flags, '--outFile', built], {
      cwd: root,
    });
    const committed = await readFile(new URL('wasm/lines.wasm', import.meta.url));
    expect((await readFile(built)).equals(committed)).toBe(true);
  });
});

/** Returns what a handler receives: each unknown record, with the number of known records before this record. */
function read(
  known: KnownFingerprints,
  bytes: Buffer,
  isPassing: boolean,
  places: readonly number[],
) {
  const pieces: (string | number)[][] = [];
  let skipped = 0;
  const note = (...piece: (string | number)[]) => {
    pieces.push([skipped, ...piece]);
    skipped = 0;
  };
  const handler: RecordHandler = {
    record({ data, start, end, line }) {
      if (start === end) return true;
      const fingerprint = known.fingerprint(start, end, context);
      if (known.meet(fingerprint)) skipped++;
      else note(line, data.toString('latin1', start, end), String(fingerprint));
      return true;
    },
    reject: ({ line }, reason) => note(line, reason),
  };
  if (isPassing) {
    handler.passLines = (data, from, line) => {
      const passed = known.pass(data, from, line, context);
      for (const listed of passed.listed) {
        skipped += listed.number;
        const { start, end } = listed;
        note(listed.line, data.toString('latin1', start, end), String(joinHalves(listed)));
      }
      skipped += passed.known_count;
      return passed;
    };
  }
  const splitter = new RecordSplitter(handler, known.memory);
  const cuts = [...new Set(places.map((place) => place % (bytes.length + 1))), bytes.length];
  let from = 0;
  for (const to of cuts.toSorted((a, b) => a - b)) {
    splitter.write(bytes.subarray(from, to));
    from = to;
  }
  splitter.end();
  note('end', splitter.line);
  return pieces;
}
