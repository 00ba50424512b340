import { describe, expect, test } from 'vitest';
import {
  anew,
  fieldOf,
  fileName,
  makeReports,
  makeRow,
  type Reports,
  withFields,
} from '../../fixtures/dump/bad-dump.ts';
import { nothing, publish, publishBaseline, silence } from '../../fixtures/dump/bad-night.ts';
import { phoneEvent } from '../../fixtures/dump/bad-rows.ts';

const baseline = await publishBaseline(reports(() => undefined));

const good = reports(() => undefined);

/**
 * Returns the standard reports of a day, one entry of which has no NIP and no REGON, after `change` has changed their
 * lines.
 */
function reports(change: (lines: Reports) => unknown): Reports {
  const made = makeReports({ śląskie: 300 });
  made.opolskie![8] = withFields(made.opolskie![8]!, { Nip: '', Regon: '' });
  change(made);
  return made;
}

/** Makes a row unreadable by removing its beginning, and with it the NIP and REGON of the entry. */
function cut(lines: string[], at: number): void {
  lines[at] = lines[at]!.split(';').slice(7).join(';');
}

/** Makes a row unreadable by removing its end; the NIP and REGON of the entry remain readable. */
function cutEnd(line: string): string {
  return line.slice(0, -1);
}

function struckOff(line: string, date: string): string {
  return `COMPANY_STRUCK_OFF of ${fieldOf(line, 'Regon')}: ACTIVE -> ${date}`;
}

const gone = good.opolskie![3]!;
const struckOffThen = new RegExp(`^${struckOff(gone, '2026-11-03')}$`);

describe('an entry that is gone from a file with an unreadable row', () => {
  const damaged = reports((made) => {
    cut(made.opolskie!, 6);
    made.opolskie!.splice(3, 1);
  });
  const clean = reports((made) => made.opolskie!.splice(3, 1));

  test('waits, and is struck off by the next clean file', async () => {
    const [second, third] = await publish(baseline, damaged, clean);
    expect(second).toEqual({
      rejects: [`${fileName('opolskie')}, line 6: 17 fields instead of 24`],
      events: [],
      counts: { ...nothing, waiting: 2 },
    });
    expect(third).toEqual({
      ...silence,
      events: [struckOff(gone, '2026-11-04')],
      counts: { ...nothing, deleted: 1 },
    });
  });

  test('waits as long as the file is damaged', async () => {
    // The dump has the same records in another order, because the same bytes would be refused as a stale dump.
    const again = { ...damaged, mazowieckie: [...damaged.mazowieckie!] };
    again.mazowieckie.push(again.mazowieckie.splice(1, 1)[0]!);
    const [second, third, fourth] = await publish(
      baseline,
      damaged,
      again,
      anew(clean, 'mazowieckie'),
    );
    expect(third).toEqual(second);
    expect(fourth!.events).toEqual([struckOff(gone, '2026-11-05')]);
  });

  test('is as it was when it is back, and tells what changed in between', async () => {
    const back = reports((made) => {
      made.opolskie![3] = withFields(gone, { Telefon: '700000001' });
    });
    const [, third] = await publish(baseline, damaged, back);
    expect(third).toEqual({
      ...silence,
      events: [phoneEvent(gone)],
      counts: { ...nothing, updated: 1 },
    });
  });

  test.each<
    [what: string, change: (made: Reports) => unknown, event: RegExp | null, counts: object]
  >([
    [
      'does not wait where its row is in another file',
      ({ opolskie, śląskie }) => {
        cut(opolskie!, 6);
        śląskie!.push(...opolskie!.splice(3, 1));
      },
      /^COMPANY_ADDRESS_CHANGED .* opolskie -> .* śląskie$/,
      { updated: 1, waiting: 1 },
    ],
    [
      'does not wait for an unreadable row of another file',
      ({ opolskie, śląskie }) => {
        cut(śląskie!, 6);
        opolskie!.splice(3, 1);
      },
      struckOffThen,
      { deleted: 1, waiting: 1 },
    ],
    [
      'does not wait for a row that only repeats',
      ({ opolskie }) => {
        opolskie!.push(opolskie![6]!);
        opolskie!.splice(3, 1);
      },
      struckOffThen,
      { deleted: 1 },
    ],
    [
      'waits for a row of which no number is valid',
      ({ opolskie }) => {
        opolskie![6] = withFields(opolskie![6]!, { Nip: '1234567890', Regon: '123456789' });
        opolskie!.splice(3, 1);
      },
      null,
      { waiting: 2 },
    ],
  ])('%s', async (_, change, event, counts) => {
    const [second] = await publish(baseline, reports(change));
    expect(second).toMatchObject({
      events: event ? [expect.stringMatching(event)] : [],
      counts: { ...nothing, ...counts },
    });
  });

  test('does not wait for rows of other numbers, except where it has none itself', async () => {
    const made = reports(({ opolskie }) => {
      const [end = '', status = '', signs = '', twice = ''] = opolskie!.splice(4, 4);
      const Nip = fieldOf(signs, 'Nip').replace(/(...)(...)(..)/, '$1-$2-$3-');
      opolskie!.splice(
        3,
        2,
        cutEnd(end),
        withFields(status, { StatusDzialalnosci: '?' }),
        withFields(signs, { Nip, Regon: '123456789' }),
        twice,
        withFields(twice, { Telefon: '1' }),
      );
    });
    const [second, third] = await publish(baseline, made, clean);
    expect(second!.rejects).toHaveLength(5);
    expect(second).toMatchObject({
      events: [struckOff(gone, '2026-11-03')],
      counts: { ...nothing, deleted: 1, waiting: 3 },
    });
    expect(third).toMatchObject({ events: [], counts: nothing });
  });
});

describe('an entry that moves to another file', () => {
  test('is not struck off where its row cannot be read there', async () => {
    const moving = good.opolskie!.slice(1, 6);
    const damaged = [
      (line: string) => line.slice(0, -1),
      (line: string) => line.replace('Usługi', 'Us\0ugi'),
      (line: string) => withFields(line, { Nip: '1234567890' }),
      (line: string) => withFields(line, { Regon: '123456789' }),
      (line: string) => line.replace('Usługi', '"Usługi'),
    ].map((damage, at) => damage(moving[at]!));
    const move = (lines: string[]) =>
      reports((made) => {
        made.opolskie!.splice(1, 5);
        // Each damaged row is inserted between undamaged rows.
        lines.forEach((line, at) => made.śląskie!.splice(100 + 10 * at, 0, line));
      });
    const [second, third] = await publish(baseline, move(damaged), move(moving));
    expect(second!.events).toEqual([]);
    expect(second!.rejects).toEqual(
      [101, 111, 121, 131, 141].map((line): string =>
        expect.stringContaining(`${fileName('śląskie')}, line ${line}: `),
      ),
    );
    expect(second!.counts).toMatchObject({ new: 0, updated: 0, deleted: 0 });
    expect(third!.events).toHaveLength(5);
    for (const event of third!.events) {
      expect(event).toMatch(/^COMPANY_ADDRESS_CHANGED .* opolskie -> .* śląskie$/);
    }
    expect(third!.counts).toEqual({ ...nothing, updated: 5 });
  });

  test('leaves a file with an unreadable row, and the owner of that row waits', async () => {
    const damaged = reports((made) => {
      made.śląskie!.push(made.opolskie!.splice(3, 1)[0]!);
      cut(made.opolskie!, 4);
      cut(made.śląskie!, 200);
    });
    const moved = reports((made) => made.śląskie!.push(made.opolskie!.splice(3, 1)[0]!));
    const [second, third] = await publish(baseline, damaged, moved);
    expect(second).toMatchObject({
      events: [expect.stringMatching(/^COMPANY_ADDRESS_CHANGED .* opolskie -> .* śląskie$/)],
      counts: { ...nothing, updated: 1, waiting: 2 },
    });
    expect(third).toEqual(silence);
  });
});

describe('a new entry that shares a number with one whose row cannot be read', () => {
  test('is no change of identity', async () => {
    const fresh = withFields(makeRow(8001), { Nip: fieldOf(gone, 'Nip') });
    const damaged = reports((made) => {
      made.opolskie![3] = cutEnd(gone);
      made.opolskie!.push(fresh);
    });
    const repaired = reports((made) => made.opolskie!.push(fresh));
    const [second, third] = await publish(baseline, damaged, repaired);
    expect(second).toMatchObject({ events: [], counts: { ...nothing, new: 1, waiting: 1 } });
    expect(third).toEqual(silence);
  });
});
