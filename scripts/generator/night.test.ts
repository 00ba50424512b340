import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readReports, type Row } from '../../fixtures/dump/report-reader.ts';
import { replay, writeDay, type DumpOptions } from '../generate-dump.ts';
import { changeKinds } from './change.ts';

const from = '2026-09-01';

describe.each([1, 2, 3])('five nights of seed %i', (seed) => {
  const options: DumpOptions = { seed, entries: 5000, from };

  test('have every kind of change every day', () => {
    for (let day = 1; day <= 5; day += 1) {
      const { counts } = replay(options, day);
      const missing = changeKinds.filter((kind) => counts[kind] === 0);
      // No entry can come back before one has gone.
      expect(missing).toEqual(day === 1 ? ['back'] : []);
    }
  });
});

test('nights of many changes make every type of event', () => {
  const types = [1, 2, 3].flatMap((day) => {
    const { events } = replay({ seed: 1, entries: 10_000, from, changes: 0.1 }, day);
    return events.map(({ event_type }) => event_type);
  });
  expect([...new Set(types)].toSorted()).toEqual([
    'ANOMALY_REGON_CHANGE',
    'COMPANY_ACTIVITIES_RECLASSIFIED',
    'COMPANY_ACTIVITY_ADDED',
    'COMPANY_ACTIVITY_REMOVED',
    'COMPANY_ADDRESS_ADDED',
    'COMPANY_ADDRESS_CHANGED',
    'COMPANY_ADDRESS_REMOVED',
    'COMPANY_CLOSED_DATE',
    'COMPANY_EMAIL_ADDED',
    'COMPANY_EMAIL_CHANGED',
    'COMPANY_EMAIL_REMOVED',
    'COMPANY_MAIN_ACTIVITY_CHANGED',
    'COMPANY_NAME_CHANGED',
    'COMPANY_OWNER_CHANGED',
    'COMPANY_PHONE_ADDED',
    'COMPANY_PHONE_CHANGED',
    'COMPANY_PHONE_REMOVED',
    'COMPANY_REGON_ASSIGNED',
    'COMPANY_REOPENED',
    'COMPANY_RESUMED',
    'COMPANY_START_DATE_CHANGE',
    'COMPANY_STRUCK_OFF',
    'COMPANY_SUSPENDED',
    'COMPANY_TAX_IDENTITY_ASSIGNED',
    'COMPANY_TAX_IDENTITY_CHANGED',
    'COMPANY_TAX_IDENTITY_REVOKED',
    'COMPANY_WEBSITE_ADDED',
    'COMPANY_WEBSITE_CHANGED',
    'COMPANY_WEBSITE_REMOVED',
  ]);
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
