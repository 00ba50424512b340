import { expect, test } from 'vitest';
import { extract, runKrs } from '../../fixtures/dump/krs-day.ts';
import { company, nipOf, regonOf, runRegon } from '../../fixtures/dump/regon-day.ts';
import { createSubmitter, type Submitter } from '../../fixtures/client/submitter.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { verify } from '../../pipeline/night/verify.ts';

const [krs, nip, older, newer] = ['0000990001', nipOf(1), regonOf(1), regonOf(2)];
const inKrs = { rodzajRejestruEwidencji_Symbol: '138', numerWRejestrzeEwidencji: krs };

const { database, api } = await useApi({ now: () => new Date('2026-11-02T10:05:00Z') });

async function readFeed(submitter: Submitter): Promise<string[]> {
  const { body } = await submitter.ask('GET /watchlist/events');
  const { data } = body as { data: { event_type: string; new_value: string }[] };
  return data.map(({ event_type, new_value }) => `${event_type} ${new_value}`).toSorted();
}

async function countCompanies(): Promise<unknown> {
  const { rows } = await database.pool.query(
    `select count(distinct entry.company_id)::int as companies,
       (select count(*)::int from registry.company where merged_into_id is not null) as merged,
       (select count(*)::int from registry.corroboration
         join registry.event using (company_id, event_id)
         join registry.company using (company_id)
         where merged_into_id is null and nip = $1) as corroborations
     from registry.entry`,
    [nip],
  );
  return rows[0];
}

test('companies of two registries that turn out to be one keep watches, feeds and history', async () => {
  await runRegon(database, '2026-11-02', {
    reports: [...company(older, nip), ...company(newer, '', inKrs)],
  });
  await runKrs(database, '2026-11-02', [extract(krs, { name: 'ALFA' })]);
  const both = await createSubmitter(database, api);
  const one = await createSubmitter(database, api);
  await both.add('REGON9', older);
  await both.add('KRS', krs);
  await one.add('KRS', krs);
  expect(await both.list()).toHaveLength(2);

  await runKrs(database, '2026-11-03', [extract(krs, { name: 'BETA' })]);
  const renamed = company(newer, '', { ...inKrs, nazwa: 'Beta' });
  await runRegon(database, '2026-11-03', {
    reports: [...company(older, nip, { nazwa: 'GAMMA' }), ...renamed],
  });
  // REGON reports the name BETA that KRS has reported before, so only one event is published for it.
  const before = ['COMPANY_NAME_CHANGED BETA', 'COMPANY_NAME_CHANGED GAMMA'];
  expect(await readFeed(both)).toEqual(before);
  expect(await readFeed(one)).toEqual(before.slice(0, 1));
  expect(await countCompanies()).toEqual({ companies: 2, merged: 0, corroborations: 0 });

  await runKrs(database, '2026-11-04', [extract(krs, { name: 'BETA', nip })]);
  const assigned = `COMPANY_TAX_IDENTITY_ASSIGNED ${nip}`;
  expect(await countCompanies()).toEqual({ companies: 1, merged: 1, corroborations: 1 });
  expect(await readFeed(both)).toEqual([...before, assigned]);
  expect(await readFeed(one)).toEqual([before[0], assigned]);
  expect(await both.list()).toEqual([`NIP ${nip} ready BETA`]);
  expect(await one.list()).toEqual([`NIP ${nip} ready BETA`]);
  const { rows } = await database.pool.query(
    'select events_count::int from customer.watch order by watch_id',
  );
  expect(rows).toEqual([{ events_count: 3 }, { events_count: 2 }]);

  // After the merge, the entries of both registries belong to one company.
  await runRegon(database, '2026-11-05', {
    reports: company(newer, nip, { ...inKrs, nazwa: 'Beta' }),
  });
  expect(await readFeed(both)).toEqual([...before, assigned]);
  expect(await countCompanies()).toEqual({ companies: 1, merged: 1, corroborations: 2 });
  for (const source of ['krs', 'regon']) expect(await verify(database, source)).toEqual([]);
});
