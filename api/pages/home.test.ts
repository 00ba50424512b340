import { describe, expect, test } from 'vitest';
import { useApi } from '../../fixtures/client/use-api.ts';
import { runSource } from '../../fixtures/dump/three-sources.ts';

// At this moment it is 2026-11-04 in Poland.
let now = new Date('2026-11-03T23:30:00Z');

const { database, api } = await useApi({ now: () => now });
for (const source of ['ceidg', 'krs'] as const) {
  for (const date of ['2026-11-02', '2026-11-03']) await runSource(database, source, date);
}

/** Returns the visible text of each part of the start page that matches the pattern. */
async function read(pattern: RegExp, query = ''): Promise<string[]> {
  const headers = { Accept: 'text/html' };
  const page = await (await api.ask(`/${query}`, { headers })).text();
  return [...page.matchAll(pattern)].map(([part]) =>
    part
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}

const rows = /<tr><th scope="row">[^]*?<\/tr>/g;
const types = /<li><strong class="number">[^]*?<\/li>/g;
const examples = /<li><span class="severity[^]*?<\/li>/g;
const figures = /<div><dt>[^]*?<\/div>/g;

describe('GET /', () => {
  test('200 says what last night changed in each registry, and how old that is in words', async () => {
    expect(await read(rows)).toEqual([
      'CEIDG sole traders and civil partnerships 3 November 2026 , yesterday 2 18 1 20 82',
      'KRS companies, cooperatives, foundations, associations 3 November 2026 , yesterday 0 7 0 10 20',
    ]);
    expect(await read(/<p><strong>.*/g)).toEqual([
      'Last night brought 30 events, 7 of them critical.',
    ]);
    expect(await read(/<p><strong>.*/g, '?lang=pl')).toEqual([
      'Ostatnia noc przyniosła 30 zdarzeń, w tym 7 krytycznych.',
    ]);
  });

  test('200 counts the events by type, the worst first', async () => {
    expect(await read(types)).toEqual([
      '2 The activity was suspended critical',
      '1 The REGON number is gone critical',
      '1 Bankruptcy was declared critical',
      '1 A closing date was entered critical',
      '1 The entry was struck off the registry critical',
      '1 The NIP was replaced by another critical',
      '1 The shareholders changed high',
      '3 The registered address changed warning',
    ]);
    expect(await read(/<p class="soft">and .*/g)).toEqual(['and 19 events of other types']);
  });

  test('200 names companies in KRS, but no sole trader and no shareholder', async () => {
    expect(await read(examples)).toEqual([
      'critical: The activity was suspended on 1 November 2026 TARTAK BRZOZÓWKA SPÓŁKA Z OGRANICZONĄ ODPOWIEDZIALNOŚCIĄ, SUWAŁKI',
      'critical: Bankruptcy was declared on 3 November 2026 STOCZNIA RZECZNA DOK SPÓŁKA Z OGRANICZONĄ ODPOWIEDZIALNOŚCIĄ, SZCZECIN',
      'high: The shareholders changed MŁYN NAD SKRWĄ SPÓŁKA Z OGRANICZONĄ ODPOWIEDZIALNOŚCIĄ, PŁOCK',
    ]);
  });

  test('200 compares the figures with the snapshot before', async () => {
    expect(await read(figures)).toEqual([
      'active entries 75 0 since 2 November 2026',
      'new entries 2 since 2 November 2026',
      'ended entries 1 since 2 November 2026',
    ]);
  });

  test('200 forgets within the hour what was withdrawn', async () => {
    await database.pool.query(
      "delete from registry.event where event_type = 'COMPANY_BANKRUPTCY_STARTED'",
    );
    expect(await read(examples)).toHaveLength(3);
    now = new Date('2026-11-04T07:00:00Z');
    expect(await read(examples)).toHaveLength(2);
  });

  test('200 says "last night" only where it was, and adds up no nights of different days', async () => {
    const said = async () => [
      ...(await read(/<h1>.*<\/h1>|<p><strong>.*|<h2 id="night">.*|<h3>What .*/g)),
      (await read(types)).length,
    ];
    expect(await said()).toEqual([
      'What changed in the company registers last night',
      'Last night brought 29 events, 6 of them critical.',
      'Last night: the data of 3 November 2026',
      'What happened',
      8,
    ]);
    now = new Date('2026-11-05T06:00:00Z');
    expect((await said()).slice(0, 3)).toEqual([
      'What changed in the company registers',
      'The newest snapshot, of 3 November 2026, brought 29 events, 6 of them critical.',
      'The newest snapshot: 3 November 2026',
    ]);
    await runSource(database, 'krs', '2026-11-04');
    expect(await said()).toEqual([
      'What changed in the company registers last night',
      'Last night brought 12 events, 1 of them critical.',
      'The newest snapshot of each registry',
      'What happened according to the data of 4 November 2026',
      'What happened according to the data of 3 November 2026',
      16,
    ]);
  });
});
