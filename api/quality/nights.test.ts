import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { useApi } from '../../fixtures/client/use-api.ts';
import { fieldOf, fileName, makeReports, withFields } from '../../fixtures/dump/bad-dump.ts';
import { runBad } from '../../fixtures/dump/bad-night.ts';
import { person, runRegon } from '../../fixtures/dump/regon-day.ts';
import { Refusal } from '../../pipeline/errors.ts';
import texts from '../html/texts/en/quality.json' with { type: 'json' };

const at = (moment: string) => ({ now: () => new Date(moment) });
const [first, second] = ['2026-11-02', '2026-11-03'] as const;

const good = makeReports();
// The first company of mazowieckie also has an entry in REGON.
const [, one] = good.mazowieckie!;
const inRegon = (nazwa: string) =>
  person(fieldOf(one!, 'Regon'), fieldOf(one!, 'Nip'), { Ceidg: { nazwa } });

const isChanged = makeReports();
isChanged.mazowieckie![1] = withFields(one!, { NazwaPodmiotu: 'Dwa', Email: '' });
for (let row = 10; row < 31; row++) {
  isChanged.mazowieckie![row] = withFields(isChanged.mazowieckie![row]!, {
    StatusDzialalnosci: 'Jan Kowalski',
  });
}

const guards = [{ guard: 'rejected', file: null, field: null, value: 1.04, limit: 0.5 }];
const reason = 'CEIDG said so, 600-100-200 and jan@firma.example';

async function read(path: string): Promise<unknown> {
  const response = await api.ask(`/api/v1${path}`);
  expect(response.status).toBe(200);
  return response.json();
}

/** Returns the visible text of a page as one line. */
async function readPage(path: string): Promise<string> {
  const response = await api.ask(path, { headers: { Accept: 'text/html' } });
  expect(response.status).toBe(200);
  const page = await response.text();
  return page
    .slice(page.indexOf('<main'))
    .replaceAll(/<[^>]+>|\s+/g, ' ')
    .replaceAll(/ +/g, ' ');
}

const { database, api } = await useApi();
await runBad(database, good, first, at('2026-11-02T06:00:00Z'));
await runRegon(database, first, { reports: inRegon('Usługi 1') }, at('2026-11-02T22:59:00Z'));
const refused = runBad(database, isChanged, second, at('2026-11-03T06:00:00Z'));
await refused.catch((error: unknown) => {
  if (!(error instanceof Refusal)) throw error;
});
await runBad(database, isChanged, second, { reason, ...at('2026-11-03T23:30:00Z') });
await runRegon(database, second, { reports: inRegon('DWA') }, at('2026-11-04T06:00:00Z'));

describe('GET /quality', () => {
  test('200 lists the nights, the newest first, by page', async () => {
    const plain = { is_published: true, rejected: 0, refusals: 0, has_accepted_refusal: false };
    const ceidg = { ...plain, date: second, source: 'ceidg', read: 2012, days_late: 1 };
    const regon = { ...plain, source: 'regon', read: 1 };
    const nights = [
      { ...ceidg, rejected: 21, refusals: 1, has_accepted_refusal: true },
      { ...regon, date: second, days_late: 1 },
      { ...ceidg, date: first, days_late: 0 },
      { ...regon, date: first, days_late: 0 },
    ];
    const meta = { total: 4, per_page: 3, last_page: 2 };
    for (const current_page of [1, 2]) {
      expect(await read(`/quality?per_page=3&page=${current_page}`)).toEqual({
        data: nights.slice(3 * current_page - 3, 3 * current_page),
        meta: { ...meta, current_page },
      });
    }
  });
});

describe('GET /quality/{date}', () => {
  test('200 says what was rejected, refused and accepted, and nothing that names a person', async () => {
    const response = await api.ask(`/api/v1/quality/${second}`);
    const text = await response.text();
    expect(text).not.toMatch(/Kowalski|firma|600-100/);
    const { meta, data } = JSON.parse(text) as { meta: object; data: Night[] };
    type Night = { published: { files: { file: string }[] } };
    expect(meta).toEqual({ date: second });
    const [ceidg, regon] = data;
    expect(ceidg).toMatchObject({
      source: 'ceidg',
      refusals_total: 1,
      refusals: [{ refused_at: '2026-11-03T06:00:00+00:00', guards }],
      published: {
        published_at: '2026-11-03T23:30:00+00:00',
        days_late: 1,
        is_baseline: false,
        read: 2012,
        accepted: 1991,
        rejected: 21,
        entries: 2012,
        files_total: 17,
        rejected_by_reason: [{ subject: 'unknown_status', count: 21 }],
        accepted_refusal: { reason: 'CEIDG said so, … and …', guards },
      },
    });
    const file = ceidg!.published.files.find((known) => known.file === fileName('mazowieckie'));
    expect(file).toMatchObject({
      read: 1000,
      accepted: 979,
      rejected: 21,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const published = { rejected_by_reason: [], accepted_refusal: null };
    expect(regon).toMatchObject({ refusals_total: 0, refusals: [], published });
  });

  test('200 of a first snapshot, which is compared with nothing', async () => {
    expect(await read(`/quality/${first}`)).toMatchObject({
      data: [
        { source: 'ceidg', published: { is_baseline: true, days_late: 0 } },
        // The REGON dump is published one minute before midnight in Poland, so it is not late.
        { source: 'regon', published: { days_late: 0 } },
      ],
    });
  });

  test('404 for a day without a dump, 422 for none', async () => {
    expect((await api.ask('/api/v1/quality/2026-11-04')).status).toBe(404);
    expect((await api.ask('/api/v1/quality/2026-02-30')).status).toBe(422);
  });
});

describe('the page of a night', () => {
  test('says the same, in English and Polish', async () => {
    const page = await readPage(`/quality/${second}?lang=en`);
    for (const text of [
      '2,012 rows were read: 1,991 accepted, 21 rejected. After this night, the registry had 2,012 entries. The dump was published 1 day late.',
      'Accepted in spite of the findings of the guards 1.04 % of the rows were rejected; the limit is 0.5 %. The reason of the operator: CEIDG said so, … and …',
      '1 refused attempt 3 November 2026 at 06:00 UTC 1.04 % of the rows were rejected; the limit is 0.5 %.',
      'A status that is not known 21 ',
    ]) {
      expect(page).toContain(text);
    }
    expect(page).not.toMatch(/Kowalski|firma|600-100/);
    expect(await readPage(`/quality/${second}?lang=pl`)).toContain(
      'Przyjęto mimo zastrzeżeń Odrzucono 1,04 % wierszy; granica to 0,5 %. Powód podany przez operatora: CEIDG said so, … and …',
    );
    expect(await readPage('/quality?lang=en')).toContain(
      '3 November 2026 CEIDG published in spite of a finding of a guard (1 attempt refused) 2,012 21 1 day late',
    );
    for (const path of ['/quality/2026-11-04', '/quality/yesterday', '/quality/0000-01-01']) {
      expect((await api.ask(path, { headers: { Accept: 'text/html' } })).status).toBe(404);
    }
  });

  test('has words for each guard, and for each code of a reject those of its dictionary', async () => {
    const sourceOf = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
    const shares = sourceOf('../../sql/check/guard_vanished_changed_lost.sql').matchAll(
      /^ {8}'(\w+)'(?: as guard)?,/gm,
    );
    const files = readdirSync(new URL('../../sql/check', import.meta.url));
    const named = files.flatMap(
      (file) => /^guard_(?!vanished_changed_lost)(\w+)\.sql/.exec(file)?.[1] ?? [],
    );
    const { rows: codes } = await database.pool.query<{ key: string; sentence: string }>(
      `select 'reason_' || reject_code as key, sentence from registry.reject_code`,
    );
    expect(texts).toMatchObject(
      Object.fromEntries(codes.map(({ key, sentence }) => [key, sentence])),
    );
    expect(
      Object.keys(texts)
        .filter((key) => /^(guard|reason)_/.test(key))
        .toSorted(),
    ).toEqual(
      [
        ...[...shares].map(([, guard]) => `guard_${guard}`),
        ...named.map((guard) => `guard_${guard}`),
        ...codes.map(({ key }) => key),
      ].toSorted(),
    );
  });
});
