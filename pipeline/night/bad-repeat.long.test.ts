import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  anew,
  fieldOf,
  fileName,
  makeReports,
  makeRow,
  toBytes,
  withFields,
  writeReports,
} from '../../fixtures/dump/bad-dump.ts';
import {
  nothing,
  publish,
  publishBaseline,
  silence,
  type Told,
} from '../../fixtures/dump/bad-night.ts';
import { expectCases, phoneEvent, placeCases, rowCase } from '../../fixtures/dump/bad-rows.ts';

const repeats = 'repeats another row of the same entry';
const contradicts = 'contradicts another row of the same entry';

/** Returns a row with additional blanks, which do not change the meaning of the row. */
function respell(line: string): string {
  return line.replace('Usługi ', ' Usługi  ');
}

function rename(line: string, name: string): string {
  return withFields(line, { NazwaPodmiotu: name });
}

function withoutNumbers(line: string, name: string): string {
  return withFields(line, { Nip: '', Regon: '0'.repeat(9), NazwaPodmiotu: name });
}

const cases = [
  rowCase('three times', (line) => [line, line, line], null, repeats, repeats),
  rowCase('before itself in another spelling', (line) => [line, respell(line)], null, repeats),
  rowCase(
    'behind itself in another spelling: the row that was published stays',
    (line) => [respell(line), line],
    repeats,
    null,
  ),
  rowCase('in another spelling, twice', (line) => [respell(line), respell(line)], null, repeats),
  rowCase(
    'with other content behind it',
    (line) => [line, rename(line, 'Inna')],
    contradicts,
    contradicts,
  ),
  rowCase(
    'with two other contents',
    (line) => [rename(line, 'Inna'), line, rename(line, 'Trzecia')],
    contradicts,
    contradicts,
    contradicts,
  ),
  rowCase(
    'with other content, twice itself',
    (line) => [line, respell(line), rename(line, 'Inna')],
    contradicts,
    contradicts,
    contradicts,
  ),
  rowCase(
    'with two contents of which neither is as yesterday',
    (line) => [rename(line, 'Inna'), rename(line, 'Trzecia')],
    contradicts,
    contradicts,
  ),
  rowCase(
    'with other content that cannot be meant',
    (line) => [line, withFields(line, { NazwaPodmiotu: 'Inna', RokPKD: '1' })],
    null,
    "the activity version '1' is not known",
  ),
  rowCase(
    'beside two rows of a new entry that contradict each other',
    (line) => [line, makeRow(7001), rename(makeRow(7001), 'Inna')],
    null,
    contradicts,
    contradicts,
  ),
  rowCase(
    'beside a row of a new entry, twice',
    (line) => [line, makeRow(7002), makeRow(7002)],
    null,
    null,
    repeats,
  ),
  rowCase(
    'beside a row without numbers, twice',
    (line) => [line, withoutNumbers(line, 'Bez'), withoutNumbers(line, 'Bez')],
    null,
    null,
    repeats,
  ),
];

const baseline = await publishBaseline();

describe('an entry stands in the dump', () => {
  const expected = expectCases(cases);
  let nights: Told[];
  beforeAll(async () => {
    const { damaged, repaired } = placeCases(cases);
    const dump = (folder: string) => writeReports(folder, repaired, damaged);
    // The second dump has an additional blank line, because a dump with the same bytes would be refused as stale.
    const again = async (folder: string) => {
      await dump(folder);
      await appendFile(join(folder, fileName('opolskie')), '\r\n');
    };
    // In the dumps of the first two nights, rows contradict each other. The third dump has no contradictions, and lacks
    // the two new entries.
    nights = await publish(baseline, dump, again, anew(repaired));
  });

  test.each(cases.map(({ what }, at) => [what, expected[at]!] as const))('%s', (_, told) => {
    expect(nights[0]!.rejects).toEqual(expect.arrayContaining(told.rejects));
    expect(nights[0]!.events).toEqual(expect.arrayContaining(told.events));
  });

  test('and nothing else is rejected or told', () => {
    const [{ rejects, events, counts }] = nights as [Told];
    expect(rejects.toSorted()).toEqual(expected.flatMap((told) => told.rejects).toSorted());
    // Two of the repeated rows belong to new entries, for which COMPANY_REGISTERED is published.
    const [number, name] = ['Regon', 'NazwaPodmiotu'].map((field) => fieldOf(makeRow(7002), field));
    const registered = [
      `COMPANY_REGISTERED of ${number}: null -> ${name}`,
      'COMPANY_REGISTERED of Bez: null -> Bez',
    ];
    const told = [...expected.flatMap((one) => one.events), ...registered];
    expect(events.toSorted()).toEqual(told.toSorted());
    expect(counts).toEqual({ new: 2, updated: 2 * cases.length, deleted: 0, waiting: 0 });
  });

  test('and the same rows are rejected the night after, and nothing is told', () => {
    expect(nights[1]).toEqual({ rejects: nights[0]!.rejects, events: [], counts: nothing });
  });

  test('and nothing is told of it when it stands there once again', () => {
    const { rejects, events, counts } = nights[2]!;
    expect(rejects).toEqual([]);
    expect(events).toHaveLength(2);
    for (const event of events) expect(event).toMatch(/^COMPANY_STRUCK_OFF of (\d{9}|Bez):/);
    expect(counts).toEqual({ new: 0, updated: 0, deleted: 2, waiting: 0 });
  });
});

describe('rows that contradict each other', () => {
  const good = makeReports();
  const before = good.opolskie![4]!;

  test('in two files: the entry stays where it was, and moves when they agree', async () => {
    const both = makeReports();
    both.śląskie!.push(withFields(before, { Telefon: '700000001' }));
    const moved = makeReports();
    moved.opolskie!.splice(4, 1);
    moved.śląskie!.push(withFields(before, { Telefon: '700000001' }));
    const [second, third] = await publish(baseline, both, moved);
    expect(second).toEqual({
      ...silence,
      rejects: [
        `${fileName('opolskie')}, line 5: ${contradicts} in ${fileName('śląskie')}`,
        `${fileName('śląskie')}, line 602: ${contradicts} in ${fileName('opolskie')}`,
      ],
    });
    expect(third!.events).toEqual([
      expect.stringMatching(/^COMPANY_ADDRESS_CHANGED .*, opolskie -> .*, śląskie$/),
      phoneEvent(before),
    ]);
  });

  // The dump of each case has one contradiction and no other fault that would make the night read every record.
  test.each([
    ['behind it', (line: string) => [line, rename(line, 'Inna')]],
    [
      'that contradict each other too',
      (line: string) => [line, rename(line, 'B'), rename(line, 'C')],
    ],
    ['and the same row once more', (line: string) => [line, line, rename(line, 'B')]],
  ])('are all rejected, also the one of yesterday: %s', async (_, write) => {
    const both = makeReports();
    both.opolskie!.splice(4, 1, ...write(before));
    const [second, third] = await publish(baseline, both, anew(good));
    expect(second).toEqual({
      ...silence,
      rejects: write(before).map(
        (__, at) => `${fileName('opolskie')}, line ${5 + at}: ${contradicts}`,
      ),
    });
    expect(third!.counts).toEqual(nothing);
  });

  test('hold back a change until one of them is left', async () => {
    const changed = withFields(before, { Telefon: '700000001' });
    const both = makeReports();
    both.opolskie!.push(changed);
    const agreed = makeReports();
    agreed.opolskie![4] = changed;
    const [second, third] = await publish(baseline, both, agreed);
    expect(second!.events).toEqual([]);
    expect(third).toEqual({
      rejects: [],
      events: [phoneEvent(before)],
      counts: { ...nothing, updated: 1 },
    });
  });

  test('do not keep an entry that is gone in the next night', async () => {
    const both = makeReports();
    both.opolskie!.push(rename(before, 'Inna'));
    const gone = makeReports();
    gone.opolskie!.splice(4, 1);
    const [second, third] = await publish(baseline, both, gone);
    expect(second!.counts.deleted).toBe(0);
    expect(third).toMatchObject({
      events: [expect.stringMatching(/^COMPANY_STRUCK_OFF of \d{9}: ACTIVE -> 2026-11-04$/)],
      counts: { deleted: 1, waiting: 0 },
    });
  });
});

describe('a row in quotes that repeats', () => {
  test('is rejected with the same text, whether it was read or dropped', async () => {
    const reports = makeReports();
    const quoted = reports.opolskie![4]!.replace(/Usługi (\d+)/, '"Usługi; ""$1"""');
    const once = toBytes(reports.opolskie!.with(4, quoted));
    const twice = toBytes([...reports.opolskie!.with(4, quoted), quoted]);
    const write = (bytes: Buffer) => (folder: string) =>
      writeReports(folder, reports, { [fileName('opolskie')]: bytes });
    const [second, third] = await publish(baseline, write(once), write(twice));
    expect(second!.events).toHaveLength(1);
    expect(third).toEqual({
      ...silence,
      rejects: [`${fileName('opolskie')}, line 10: ${repeats}`],
    });
  });
});
