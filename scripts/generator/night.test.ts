import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readReports, type Row } from '../../fixtures/dump/report-reader.ts';
import { replay, writeDay, type DumpOptions } from '../generate-dump.ts';
import { changeKinds } from './share.ts';

const from = '2026-09-01';

describe.each([1, 2, 3])('five nights of seed %i', (seed) => {
  const options: DumpOptions = { seed, entries: 5000, from };

  test('have every kind of change every day', () => {
    for (let day = 1; day <= 5; day += 1) {
      const { counts } = replay(options, day)[1]!;
      const missing = changeKinds.filter((kind) => counts[kind] === 0);
      // No entry can come back before one has gone.
      expect(missing).toEqual(day === 1 ? ['back'] : []);
    }
  });
});

test('nights leave the numbers of entries that share a NIP alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'generated-night-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const none = Object.fromEntries(changeKinds.map((kind) => [kind, 0]));
  const often = { nip_changed: 0.2, regon_changed: 0.2, regon_revoked: 0.2, new_shared: 0.2 };
  const options: DumpOptions = { seed: 20, entries: 6000, from, shares: { ...none, ...often } };
  const readDay = async (day: number): Promise<Row[]> => {
    await writeDay(options, day, join(folder, String(day)), 'csv');
    return [...(await readReports(join(folder, String(day)))).values()].flat();
  };
  const [before, after] = [await readDay(1), await readDay(2)];
  const owners = Map.groupBy(before, ({ Nip }) => Nip);
  const sharers = before.filter(({ Nip }) => Nip !== '' && owners.get(Nip)!.length > 1);
  const kept = new Set(after.map(({ Nip, Regon }) => `${Nip} ${Regon}`));
  expect(sharers.length).toBeGreaterThan(1000);
  expect(sharers.filter(({ Nip, Regon }) => !kept.has(`${Nip} ${Regon}`))).toEqual([]);
});
