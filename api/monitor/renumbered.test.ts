import { beforeAll, describe, expect, test } from 'vitest';
import { company, nipOf, regonOf, runRegon } from '../../fixtures/dump/regon-day.ts';
import { createSubmitter, type Submitter } from '../../fixtures/client/submitter.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const [regon, otherRegon] = [regonOf(1), regonOf(2)];
const [oldNip, newNip, otherNip, thirdNip] = [nipOf(1), nipOf(2), nipOf(3), nipOf(4)];
const [oldKrs, newKrs] = ['0000000101', '0000000102'];
const krsField = (krs: string) => ({
  numerWRejestrzeEwidencji: krs,
  rodzajRejestruEwidencji_Symbol: '138',
});

const { database, api } = await useApi();

interface Entry {
  primary_identifier: string;
  submitted_identifier: string;
  company_ref: string | null;
}

async function listOf(submitter: Submitter): Promise<Entry[]> {
  const { body } = await submitter.ask('GET /companies/watched');
  return (body as { data: Entry[] }).data;
}

/** Returns the current numbers of the company that a number identifies; undefined when no company has the number. */
async function namedBy(submitter: Submitter, type: string, value: string): Promise<unknown> {
  const { body } = await submitter.ask('POST /companies/snapshot', {
    identifier_type: type,
    identifier_value: value,
  });
  const { data } = body as { data?: { identity: { identifiers: { value: string }[] } } };
  return data?.identity.identifiers.map((one) => one.value);
}

// The tests of this file run in sequence: each one publishes a night on top of the night of the previous test.
describe('a company whose numbers changed', () => {
  let watcher: Submitter;
  let ref: string | null;

  beforeAll(async () => {
    await runRegon(database, '2026-11-02', {
      reports: [...company(regon, oldNip, krsField(oldKrs)), ...company(otherRegon, otherNip)],
    });
    watcher = await createSubmitter(database, api);
    await watcher.add('NIP', oldNip);
    [{ company_ref: ref }] = (await listOf(watcher)) as [Entry];
    await runRegon(database, '2026-11-03', {
      reports: company(regon, newNip, krsField(newKrs)),
    });
  });

  test('is listed and told under its new number, with the submitted one and the same company_ref', async () => {
    const entry = { primary_identifier: newNip, submitted_identifier: oldNip, company_ref: ref };
    expect(ref).toEqual(expect.any(String));
    expect(await listOf(watcher)).toMatchObject([entry]);
    for (const path of ['/watchlist/events', '/events/feed', '/events/feed?scope=all']) {
      const { body } = await watcher.ask(`GET ${path}`);
      const { data } = body as { data: (Entry & { event_type: string })[] };
      expect(data.map(({ event_type }) => event_type).toSorted()).toEqual([
        'COMPANY_REGISTRY_NUMBER_CHANGED',
        'COMPANY_TAX_IDENTITY_CHANGED',
      ]);
      expect(data).toMatchObject([entry, entry]);
    }
    // For an account that does not watch the company, `submitted_identifier` is null.
    const stranger = await createSubmitter(database, api);
    expect(await stranger.ask('GET /events/feed?scope=all')).toMatchObject({
      body: { data: [{ submitted_identifier: null, company_ref: ref }, {}] },
    });
  });

  test.each([
    ['NIP', oldNip],
    ['NIP', newNip],
    ['REGON9', regon],
    ['KRS', oldKrs],
    ['KRS', newKrs],
  ])('is found by %s %s: history, snapshot, watch, alerts, removal', async (type, value) => {
    const query = `identifier_type=${type}&identifier_value=${value}`;
    const meta = { total: 2, primary_identifier: newNip, identifier_type: 'NIP', company_ref: ref };
    expect(await watcher.ask(`GET /companies/events?${query}`)).toMatchObject({ body: { meta } });
    expect(await namedBy(watcher, type, value)).toEqual([newNip, regon, newKrs]);

    const one = await createSubmitter(database, api);
    await one.add(type, value);
    expect(await listOf(one)).toMatchObject([
      { primary_identifier: newNip, submitted_identifier: value, company_ref: ref, state: 'ready' },
    ]);
    const number = { identifier_type: type, identifier_value: value };
    const updated = { status: 200, body: { success: true, data: { updated: 1 } } };
    const alerts = { alert_min_severity: 'high', ...number };
    expect(await one.ask('PATCH /watchlist/alerts', alerts)).toEqual(updated);
    expect(await one.ask('DELETE /watchlist/alerts', number)).toEqual(updated);
    expect(
      await one.ask('DELETE /companies/watched', { ...number, identifier_value: [value] }),
    ).toMatchObject({ body: { data: { removed: [value], not_found: [], not_watched: [] } } });
    expect(await listOf(one)).toEqual([]);
  });

  test('is one watch, whichever of its numbers are added', async () => {
    const one = await createSubmitter(database, api);
    await one.add('NIP', newNip, oldNip);
    await one.add('KRS', oldKrs);
    expect(await listOf(one)).toMatchObject([{ submitted_identifier: newNip }]);
    const body = { identifier_type: 'NIP', identifier_value: [oldNip, newNip, nipOf(9)] };
    expect(await one.ask('DELETE /companies/watched', body)).toMatchObject({
      body: { data: { removed: [oldNip, newNip], not_found: [nipOf(9)], not_watched: [] } },
    });
  });

  test('loses a number to the company that has it now', async () => {
    await runRegon(database, '2026-11-04', { reports: company(otherRegon, oldNip) });
    expect(await namedBy(watcher, 'NIP', oldNip)).toEqual([oldNip, otherRegon]);
    expect(await namedBy(watcher, 'NIP', otherNip)).toEqual([oldNip, otherRegon]);
    expect(await namedBy(watcher, 'KRS', oldKrs)).toEqual([newNip, regon, newKrs]);
    // After the number moves to another company, the watch stays with its old company, and the number can be watched
    // again.
    await watcher.add('NIP', oldNip);
    expect(await listOf(watcher)).toMatchObject([
      { primary_identifier: oldNip, submitted_identifier: oldNip },
      { primary_identifier: newNip, submitted_identifier: oldNip, company_ref: ref },
    ]);
    const body = { identifier_type: 'NIP', identifier_value: [oldNip] };
    await watcher.ask('DELETE /companies/watched', body);
    expect(await listOf(watcher)).toMatchObject([{ company_ref: ref }]);
    expect(await watcher.ask('DELETE /companies/watched', body)).toMatchObject({
      body: { data: { removed: [], not_found: [], not_watched: [oldNip] } },
    });
  });

  test('is known by a number that two companies gave up only where it was the last to have it', async () => {
    await runRegon(database, '2026-11-05', { reports: company(otherRegon, thirdNip) });
    expect(await namedBy(watcher, 'NIP', oldNip)).toEqual([thirdNip, otherRegon]);
  });

  test('has it back when it is given it again', async () => {
    await runRegon(database, '2026-11-06', { reports: company(regon, oldNip, krsField(newKrs)) });
    expect(await namedBy(watcher, 'NIP', oldNip)).toEqual([oldNip, regon, newKrs]);
    expect(await namedBy(watcher, 'NIP', newNip)).toEqual([oldNip, regon, newKrs]);
  });

  test('goes on under the older company when both turn out to be one', async () => {
    await runRegon(database, '2026-11-07', { reports: company(otherRegon, oldNip) });
    const numbers = await namedBy(watcher, 'NIP', oldNip);
    expect(numbers).toEqual(expect.arrayContaining([oldNip, regon, otherRegon, newKrs]));
    for (const nip of [newNip, otherNip, thirdNip]) {
      expect(await namedBy(watcher, 'NIP', nip)).toEqual(numbers);
    }
  });
});
