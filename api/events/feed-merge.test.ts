// Tests the feeds of accounts when two published companies turn out to be one company.
import { expect, test } from 'vitest';
import { fieldOf, makeReports, withFields } from '../../fixtures/dump/bad-dump.ts';
import { days, runBad } from '../../fixtures/dump/bad-night.ts';
import { createWatcher, type FeedPart } from '../../fixtures/client/watcher.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const reports = makeReports({});
const [elder = '', younger = ''] = reports.mazowieckie!.slice(1, 3);
const [nip, otherNip] = [fieldOf(elder, 'Nip'), fieldOf(younger, 'Nip')];
const told = ['COMPANY_PHONE_CHANGED', 'COMPANY_PHONE_CHANGED', 'COMPANY_TAX_IDENTITY_CHANGED'];

function publish(day: string, fields: Record<string, string>, others: Record<string, string>) {
  const rows = [withFields(elder, fields), withFields(younger, others)];
  const changed = reports.mazowieckie!.toSpliced(1, 2, ...rows);
  return runBad(database, { ...reports, mazowieckie: changed }, day);
}

const { database, api } = await useApi();
// The account `both` watches both companies; the account `one` watches the company that is merged into the other
// company.
const [both, one] = await Promise.all([createWatcher(database, api), createWatcher(database, api)]);
const [baseline, calls, merge] = days;
await publish(baseline, {}, {});
await both.watch(nip, otherNip);
await one.watch(otherNip);
await publish(calls, { Telefon: '600111222' }, { Telefon: '600333444' });
await publish(merge, { Telefon: '600111222' }, { Telefon: '600333444', Nip: nip });

test('both feeds become one, without a loss and without a repetition', async () => {
  const { data, meta } = await both.read<FeedPart>('/events/feed');
  expect(data.map(({ event_type }) => event_type)).toEqual(told);
  expect(data.map(({ primary_identifier }) => primary_identifier)).toEqual([nip, nip, nip]);
  expect(meta.has_more).toBe(false);
  // The page of events and the watch list contain the three events, too.
  expect(await both.read('/watchlist/events')).toMatchObject({ meta: { total: 3 } });
  expect(await both.read('/companies/watched')).toMatchObject({ data: [{ events_count: 3 }] });
});

test('the history of the company has the events of both', async () => {
  const query = `identifier_type=NIP&identifier_value=${nip}`;
  expect(await one.read(`/companies/events?${query}`)).toMatchObject({ meta: { total: 3 } });
  // The reference of the merged company leads to the company that remains.
  const { rows } = await database.pool.query<{ company_id: string; merged_into_id: string }>(
    'select company_id, merged_into_id from registry.company where merged_into_id is not null',
  );
  const { company_id, merged_into_id } = rows[0]!;
  for (const ref of [company_id, merged_into_id]) {
    expect(await one.read(`/companies/${ref}/events?lang=en`)).toMatchObject({
      data: {
        events: [{ text: expect.stringMatching(/^The NIP was replaced/) as string }, {}, {}],
      },
      meta: { total: 3, company_ref: merged_into_id, primary_identifier: nip, is_watched: true },
    });
    expect(await one.read(`/companies/events?company_ref=${ref}`)).toMatchObject({
      meta: { company_ref: merged_into_id },
    });
  }
  // A lookup by any former reference or number of the merged company finds the company that remains.
  const named = [
    { company_ref: company_id },
    { identifier_type: 'NIP', identifier_value: otherNip },
  ];
  const found = { found: true, company_ref: merged_into_id, is_watched: true };
  expect(await one.ask('POST /companies/lookup', { identifiers: named })).toMatchObject({
    body: { data: [found, found] },
  });
});

test('a merged company leaves the feed with all that was told', async () => {
  await both.unwatch(nip);
  expect(await both.read('/watchlist/events')).toMatchObject({ data: [], meta: { total: 0 } });
  expect(await both.read('/events/feed')).toMatchObject({ data: [] });
});
