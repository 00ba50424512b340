import { mkdtemp, readdir } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { queryFile } from '../../sql/connection/database.ts';
import { createAccount } from '../../fixtures/client/account.ts';
import { createReader } from '../../fixtures/client/watch.ts';
import { askJson } from '../../fixtures/client/json-client.ts';
import { createSearcher } from '../../fixtures/client/searcher.ts';
import { startTestApi } from '../../fixtures/client/test-api.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { fieldOf, makeReports, withFields } from '../../fixtures/dump/bad-dump.ts';
import { runBad } from '../../fixtures/dump/bad-night.ts';
import { extract, runKrs } from '../../fixtures/dump/krs-day.ts';
import { nipOf, person, regonOf, runRegon } from '../../fixtures/dump/regon-day.ts';
import { runCommand } from '../../fixtures/process/cli.ts';
import { findClearText } from '../../fixtures/registry/clear-text.ts';
import { sendOptions } from '../../fixtures/process/mail-delivery.ts';
import { createFileDelivery, mailFolder } from '../mail/transport.ts';
import { sendMail } from '../mail/send.ts';
import { lockPublishing } from '../night/lock.ts';
import { Reporter } from '../night/reporter.ts';
import type { NightOptions } from '../night/context.ts';
import type { RunSummary } from '../night/summary.ts';
import { verify } from '../night/verify.ts';

/**
 * A part of each text that identifies the forgotten person, in lower case. A part of a telephone number has seven
 * digits, so that it cannot equal the six digits of a fraction of a second.
 */
const clear = ['brzęczyszcz', 'brzeczyszcz', 'zapomnian', 'łękołod', '87-654'].concat(
  ['00', '34', '44', '66', '70', '88', '99'].map((end) => `69912${end}`),
);

const dayOf = (night: number) => `2026-10-${String(night).padStart(2, '0')}`;
const reports = makeReports({});
/** The report of opolskie: its rows are the forgotten person, a neighbour, and other entries. */
const [header, first, neighbour, ...others] = reports['opolskie']!;
const known = withFields(first!, {
  NazwaPodmiotu: 'Usługi Zdzisława Brzęczyszcz',
  Nazwisko: 'Brzęczyszcz',
  Imie: 'Zdzisława',
  Telefon: '699123456',
  Email: 'biuro@brzeczyszcz.example',
  AdresWWW: 'www.brzeczyszcz.example',
  KodPocztowy: '87-654',
  Miejscowosc: 'Łękołody',
  Ulica: 'ul. Zapomniana',
});
const nip = fieldOf(known, 'Nip');
const regon = fieldOf(known, 'Regon');
const unnumbered = withFields(others[0]!, {
  Nip: '',
  Regon: '',
  Nazwisko: 'Brzęczyszczyk',
  Imie: 'Bez',
  NazwaPodmiotu: 'Bez Numeru',
});
const key = 'Brzęczyszczyk|Bez|Bez Numeru|2015-03-02';

const db = await createTestDatabase();
const api = await startTestApi({ db: db.kysely });
const dataDir = await mkdtemp(join(tmpdir(), 'registry-forget-'));

/** Runs a CEIDG night whose report of opolskie has the given rows; all other reports are those of the first day. */
function runCeidg(
  night: number,
  rows: string[],
  options: Partial<NightOptions> = {},
): Promise<RunSummary> {
  const dump = { ...reports, opolskie: [header!, ...rows, ...others.slice(1)] };
  return runBad(db, dump, dayOf(night), options);
}

function runGus(night: number, phone: string, regon9 = regon): Promise<RunSummary> {
  const fields = {
    numerTelefonu: phone,
    adSiedzUlica_Nazwa: 'ul. Zapomniana',
    nazwaSkrocona: 'USŁUGI OŚCISTY',
  };
  const lines = person(regon9, nip, { Ceidg: fields }).map((line) =>
    JSON.stringify(line).replaceAll('OŚCISTY', 'BRZĘCZYSZCZ'),
  );
  return runRegon(db, dayOf(night), { reports: lines });
}

function registry(...args: string[]) {
  return runCommand(args, { DATABASE_URL: db.url, DATA_DIR: dataDir, LOG_LEVEL: 'warn' });
}

async function findings(): Promise<string[]> {
  return (await Promise.all(['ceidg', 'regon', 'krs'].map((source) => verify(db, source)))).flat();
}

async function eventsOf(night: number): Promise<string[]> {
  const { rows } = await db.pool.query<{ event: string }>(
    `select concat_ws(' ', event_type, old_value, new_value) as event
     from registry.event where event_date = $1 order by event_id`,
    [dayOf(night)],
  );
  return rows.map(({ event }) => event);
}

const why = ['--reason', 'Art. 17', '--by', 'a letter of 2026-10-03'] as const;

/** Runs `registry forget`; expects the exit code `code`, and no warning after success. @returns the output */
async function forget(code: number, ...args: string[]): Promise<string> {
  const ended = await registry('forget', ...args);
  expect({ args, code: ended.code }).toEqual({ args, code });
  if (code === 0) expect(ended.stderr).toBe('');
  return ended.stdout;
}

const told = () => findClearText(db, mailFolder(dataDir), clear);

describe('a person who is forgotten', () => {
  test('is in the entries, events, mails, rejects and answers before', async () => {
    await runCeidg(1, [known, neighbour!]);
    await runGus(1, '699120000');
    await runKrs(db, dayOf(1), [extract('0000990001', { nip: '5260001246' })]);
    const watched = `nip in ('${nip}', '${fieldOf(neighbour!, 'Nip')}')`;
    const { account_id } = await createReader(db, { found: watched, severity: 'info' });
    const moved = withFields(known, { Telefon: '699124444', Ulica: 'ul. Zapomniana-Nowa' });
    const rejected = withFields(known, { Nip: '', StatusDzialalnosci: 'x' });
    const louder = withFields(neighbour!, { Telefon: '600111222' });
    expect(await runCeidg(2, [moved, louder, unnumbered, rejected])).toMatchObject({ events: 4 });
    expect(await eventsOf(2)).toContain('COMPANY_REGISTERED Bez Numeru');
    await runGus(2, '699124444');
    const { rows } = await db.pool.query<{ mail_id: number }>(
      `select mail_id::int from customer.mail where account_id = $1 order by mail_id`,
      [account_id],
    );
    const deliver = createFileDelivery(mailFolder(dataDir));
    await sendMail(sendOptions(db, deliver), rows[0]!.mail_id);
    await db.pool.query(
      `update registry.run set reason = $1 where run_id = (select max(run_id) from registry.run)`,
      ['Usługi Zdzisława Brzęczyszcz asked for it'],
    );
    const searcher = await createSearcher(db.kysely, api);
    const found = await searcher.search('?name=brz%C4%99czyszcz');
    expect(found.body).toMatchObject({ data: { total: 2 } });
    await searcher.snapshot(
      { identifier_type: 'NIP', identifier_value: nip },
      { 'Idempotency-Key': 'again' },
    );
    expect(await told()).toEqual([
      'customer.idempotent_answer',
      'customer.mail',
      'registry.company',
      'registry.corroboration',
      'registry.entry_ceidg',
      'registry.entry_regon',
      'registry.event',
      'registry.reject',
      'registry.run',
      'a file',
    ]);
  });

  test('can read all that is stored, with how many watch and not who', async () => {
    const { stdout, code } = await registry('person', nip);
    expect(code).toBe(0);
    const stored = JSON.parse(stdout) as Record<string, unknown>;
    expect(stored).toMatchObject({
      entries: [
        {
          surname: 'Brzęczyszcz',
          source: 'ceidg',
          provenance: { dump_date: dayOf(2), line: 2, file: expect.stringContaining('opolskie') },
        },
        { source: 'regon' },
      ],
      companies: [{ nip }],
      events: [
        { new_value: expect.stringContaining('Nowa') as string },
        { new_value: '699124444' },
      ],
      corroborations: [{ source: 'regon' }],
      past_numbers: [],
      rejects: [{ file: 'Zarejestrowane działalności - województwo opolskie.csv' }],
      suppressions: [],
      watch_count: 1,
      mail_count: 1,
    });
    expect(stdout).not.toContain(fieldOf(neighbour!, 'Nip'));
    const { stderr, ...nobody } = await registry('person', '5260001246');
    expect(nobody).toMatchObject({ code: 5, stdout: '' });
    expect(stderr).toContain("Nothing is stored of a natural person '5260001246'");
  });

  test('is told by nothing that is stored afterwards, and the tables are whole', async () => {
    expect(await forget(0, nip.replace(/^(...)/, '$1-'), ...why)).toBe(
      'Request 1: 2 entries are withdrawn, and stay so\n',
    );
    await forget(0, key, '--source', 'ceidg', ...why);
    expect(await told()).toEqual([]);
    expect(await eventsOf(2)).toContain('COMPANY_REGISTERED');
    expect(await readdir(mailFolder(dataDir))).toEqual([]);
    expect(await findings()).toEqual([]);
    const set = `update registry.entry set phone = $1 where nip = $2 and source = 'ceidg'`;
    await db.pool.query(set, ['699123456', nip]);
    expect(await findings()).toContainEqual(
      expect.stringMatching(/^entry \d+ is withdrawn, and has personal fields$/),
    );
    await db.pool.query(set, [null, nip]);
    const searcher = await createSearcher(db.kysely, api);
    expect((await searcher.search('?name=brz%C4%99czyszcz')).body).toMatchObject({
      data: { total: 0 },
    });
    const { body } = await searcher.snapshot({ identifier_type: 'NIP', identifier_value: nip });
    // The line number in the dump is erased, because it would lead to the person.
    const provenance = { dump_date: dayOf(2), line: null };
    expect(body).toMatchObject({
      data: { profiles: [{ name: '', status: 'ACTIVE', provenance }, { provenance }] },
    });
    const { master_token: token } = await createAccount(db.kysely);
    const ask = (path: string) => askJson(api, `GET ${path}`, { token });
    const byNumber = await ask(`/companies/events?identifier_type=NIP&identifier_value=${nip}`);
    const { company_ref } = (byNumber.body as { meta: { company_ref: string } }).meta;
    const bare = { old_value: null, new_value: null };
    expect(await ask(`/companies/${company_ref}/events?lang=en`)).toMatchObject({
      body: {
        data: {
          events: [
            { ...bare, text: 'The phone number changed' },
            { ...bare, text: 'The registered address changed' },
          ],
        },
        meta: { company_name: null, primary_identifier: nip },
      },
    });
  });

  test('stays so for ten nights, tells no event, and keeps the counts right', async () => {
    const suspended = {
      StatusDzialalnosci: 'Zawieszony',
      DataZawieszeniaDzialalnosci: dayOf(5),
    };
    const nights: [fields: Record<string, string> | undefined, counts: object, full?: boolean][] = [
      [{ Telefon: '699126666' }, {}],
      [{ Nazwisko: 'Brzęczyszcz-Nowa', NazwaPodmiotu: 'Brzęczyszcz Bis' }, {}],
      [{ ...suspended }, { updated: 2 }],
      [{ Regon: regonOf(77), Ulica: 'Nowa Zapomniana' }, { updated: 2 }, true],
      [undefined, { deleted: 1, updated: 1 }],
      [
        { Regon: regonOf(77), Email: 'x@brzeczyszcz.example' },
        { new: 1, updated: 1 },
      ],
      [{ Regon: regonOf(77), Nip: '' }, { updated: 2 }],
      [{ Regon: regonOf(77), Nip: '1000201006' }, { updated: 2 }, true],
      [{ Regon: regonOf(78), Nip: '1000201006' }, { updated: 2 }],
      [{ Regon: regonOf(78), Nip: '1000201006', StatusDzialalnosci: '?' }, { rejected: 1 }],
    ];
    for (const [at, [fields, counts, isFullRead = false]] of nights.entries()) {
      const night = at + 3;
      const phone = `60011100${at}`;
      const row = fields && withFields(known, fields);
      const rows = [withFields(neighbour!, { Telefon: phone }), unnumbered, ...(row ? [row] : [])];
      expect(await runCeidg(night, rows, { isFullRead })).toMatchObject(counts);
      // A REGON night runs before the person's CEIDG entry vanishes, while the CEIDG entry is gone, and after its
      // return.
      if ([0, 4, 9].includes(at)) await runGus(night, `69912700${at}`);
      const before = at === 0 ? '600111222' : `60011100${at - 1}`;
      expect(await eventsOf(night)).toEqual([`COMPANY_PHONE_CHANGED ${before} ${phone}`]);
      expect(await told()).toEqual([]);
      expect(await findings()).toEqual([]);
    }
  });

  test('is listed without a word of who it is, and is forgotten once', async () => {
    expect(await forget(0, '--list')).toMatch(
      /^ {4}1 {2}\d{4}-\d\d-\d\d \d\d:\d\d UTC {2}all {6}2 entries, asked by a letter of 2026-10-03: Art. 17\n {4}2 .* ceidg {4}1 entries/,
    );
    expect(JSON.parse((await registry('person', nip)).stdout)).toMatchObject({
      entries: [{ surname: null }, { surname: null, nip }],
      suppressions: [{ suppression_id: 1, reason: 'Art. 17' }],
    });
    for (const number of [nip, '5260001246', '9999999999']) await forget(5, number, ...why);
    for (const args of [[nip], [], [nip, '--source', 'cedig', ...why]]) await forget(2, ...args);
  });

  test('comes back without events when the request is lifted, and changes are told again', async () => {
    await forget(0, '--undo', '1');
    await forget(5, '--undo', '1');
    await forget(0, '--undo', '2');
    const last = { Regon: regonOf(78), Nip: '1000201006' };
    const back = [withFields(known, last), unnumbered];
    expect(await runCeidg(13, [neighbour!, ...back])).toMatchObject({ new: 0, deleted: 0 });
    const named = `select from registry.entry where surname = 'Brzęczyszczyk' and entry_key = $1`;
    expect((await db.pool.query(named, [key])).rowCount).toBe(1);
    const phone = fieldOf(neighbour!, 'Telefon');
    expect(await eventsOf(13)).toEqual([`COMPANY_PHONE_CHANGED 600111009 ${phone}`]);
    expect(await findClearText(db, mailFolder(dataDir), ['brzęczyszcz'])).toEqual([
      'registry.company',
      'registry.entry_ceidg',
    ]);
    const called = withFields(known, { ...last, Telefon: '699128888' });
    await runCeidg(14, [neighbour!, called, unnumbered]);
    expect(await eventsOf(14)).toEqual(['COMPANY_PHONE_CHANGED 699123456 699128888']);
    await forget(0, key, '--source', 'ceidg', ...why);
    expect(await findings()).toEqual([]);
  });

  test('is forgotten by the night that has read the dump already', async () => {
    const client = await db.pool.connect();
    await lockPublishing(client, 'PL', () => undefined);
    const reporter = new Reporter();
    const waits = new Promise((resolve) => (reporter.note = resolve));
    const last = { Regon: regonOf(78), Nip: '1000201006', Telefon: '699129999' };
    const running = runCeidg(15, [neighbour!, withFields(known, last)], { reporter });
    await waits;
    const asked = [nip, nip, null, 'Art. 17', 'a letter', new Date()];
    await queryFile(client, 'person/forget.sql', asked);
    client.release(true);
    expect(await running).toMatchObject({ events: 0 });
    expect(await told()).toEqual([]);
    expect(await findings()).toEqual([]);
    // The request to hide the person in CEIDG stays effective when the request for all registries is lifted.
    await forget(0, last.Nip, '--source', 'ceidg', ...why);
    await forget(0, '--undo', '4');
    const moved = withFields(known, { ...last, Ulica: 'ul. Zapomniana 2' });
    // The forgotten person without a number has numbers in the next dump, and therefore becomes a new company.
    const numbered = withFields(unnumbered, { Nip: nipOf(79), Regon: regonOf(79) });
    const summary = await runCeidg(16, [neighbour!, moved, numbered]);
    expect(summary).toMatchObject({ new: 1, events: 0 });
    await runGus(16, '699129999');
    expect(await told()).toEqual(['registry.company', 'registry.entry_regon']);
    expect(await findings()).toEqual([]);
  });
});

test('of a company the persons are withdrawn, and everything else is told', async () => {
  const krs = '0000990001';
  const tell = (night: number, board: Record<string, string>, name = 'SPÓŁKA') =>
    runKrs(db, dayOf(night), [extract(krs, { nip: '5260001246', name, board })]);
  await tell(20, { 'Kunegunda Prezeska': 'PREZES ZARZĄDU' });
  expect(await eventsOf(20)).toContainEqual(expect.stringContaining('Kunegunda Prezeska'));
  await forget(0, krs, '--source', 'krs', ...why);
  await tell(21, { 'Kunegunda Prezeska': 'CZŁONEK ZARZĄDU' }, 'SPÓŁKA NOWA');
  expect(await eventsOf(21)).toEqual(['COMPANY_NAME_CHANGED SPÓŁKA SPÓŁKA NOWA']);
  expect(await findClearText(db, mailFolder(dataDir), ['prezeska'])).toEqual([]);
  expect(await findings()).toEqual([]);
});

test('what is kept of a trait is a hash with the key of this database', async () => {
  await registry('forget', '0000990001', '--source', 'krs', ...why);
  const { rows } = await db.pool.query<{ secret: Buffer; hashes: Buffer[] }>(
    `select key as secret, array(select key_hash from person.suppressed_key) as hashes from person.secret`,
  );
  const { secret, hashes } = rows[0]!;
  expect(secret).toHaveLength(32);
  expect(hashes).toContainEqual(
    createHash('sha256').update(secret).update('NIP 5260001246').digest(),
  );
});
