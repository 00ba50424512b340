import { beforeAll, describe, expect, test } from 'vitest';
import { refusal, refusals } from '../../fixtures/client/json-client.ts';
import { createFirstDay } from '../../fixtures/dump/night.ts';
import { createSubmitter, type Submitter } from '../../fixtures/client/submitter.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const now = new Date('2026-11-20T10:05:00.123Z');

const { database, api } = await useApi({ now: () => now }, createFirstDay);

function accepted(message: string) {
  return { status: 202, body: { success: true, message, data: expect.anything() } };
}

const bakery = '1000201006';
const bakeryListed = 'NIP 1000201006 ready Piekarnia Pod Wieżą Anna Żakowska';
const nothingNew = accepted('1 of 1 company ready. Nothing new is on the list.');
const oneReady = accepted('1 of 1 company ready. An e-mail confirms when all are settled.');

async function jobs(): Promise<unknown[]> {
  const job = `select task, state from customer.job where task = 'import'`;
  return (await database.pool.query(job)).rows;
}

describe('POST /api/v1/companies/add', () => {
  test('202 watches a company that is known at once, and says so by mail', async () => {
    const submitter = await createSubmitter(database, api);
    expect(await submitter.add('NIP', bakery)).toEqual(oneReady);
    expect(await submitter.list()).toEqual([bakeryListed]);
    expect(await submitter.mails()).toEqual([
      {
        mail_key: expect.stringMatching(/^submission:\d+$/),
        recipient: submitter.email,
        created_at: now,
        data: {
          user_name: 'Anna Nowak',
          submitted_at: '2026-11-20T10:05:00.123Z',
          ready: [
            {
              company_ref: expect.stringMatching(/^\d+$/),
              name: 'Piekarnia Pod Wieżą Anna Żakowska',
              identifier_type: 'NIP',
              identifier_value: bakery,
              reference: null,
              failure: null,
            },
          ],
          failed: [],
          removed_count: 0,
        },
      },
    ]);
    expect(await jobs()).toEqual([]);
  });

  test('202 waits for a company that is not known, without a mail, and has it imported', async () => {
    const submitter = await createSubmitter(database, api);
    const message =
      '1 of 3 companies ready. 2 are not known yet and will be imported. An e-mail confirms when all are settled.';
    const answer = await submitter.add('NIP', '100-020-50-04', '1001207005', bakery);
    expect(answer).toEqual(accepted(message));
    expect(await submitter.list()).toEqual([
      'NIP 1000205004 queued',
      'NIP 1001207005 queued',
      bakeryListed,
    ]);
    expect(await submitter.mails()).toEqual([]);
    const job = { task: 'import', state: 'waiting' };
    expect(await jobs()).toEqual([job]);
    await submitter.add('KRS', '0000000001');
    expect(await jobs()).toEqual([job]);
  });

  test('202 folds what is given twice, in any spelling, and what is watched already', async () => {
    const submitter = await createSubmitter(database, api);
    const spellings = [bakery, '100-020-10-06', ' 100 020 10 06 ', '100\u201002010\u201306'];
    expect(await submitter.add('NIP', ...spellings)).toEqual(oneReady);
    expect(await submitter.add('NIP', bakery)).toEqual(nothingNew);
    expect(await submitter.add('REGON9', '990-200-011')).toEqual(nothingNew);
    expect(await submitter.list()).toEqual([bakeryListed]);
    expect(await submitter.mails()).toHaveLength(1);
  });

  test('202 watches once what two REGONs of one submission name', async () => {
    const submitter = await createSubmitter(database, api);
    const message = '2 of 2 companies ready. An e-mail confirms when all are settled.';
    expect(await submitter.add('REGON9', '991400019', '991400025')).toEqual(accepted(message));
    expect(await submitter.list()).toEqual([
      expect.stringMatching(/^NIP 1001401003 ready .* Barbara Piórko$/),
    ]);
    const ready = [{ identifier_value: '991400019' }, { identifier_value: '991400025' }];
    expect(await submitter.mails()).toMatchObject([{ data: { ready } }]);
  });

  test('202 waits once for what is submitted again', async () => {
    const submitter = await createSubmitter(database, api);
    await submitter.add('KRS', '0000000017');
    await submitter.add('KRS', '0000000017', '0000000018');
    await submitter.add('KRS', '0000000018', '0000000017');
    expect(await submitter.list()).toEqual(['KRS 0000000017 queued', 'KRS 0000000018 queued']);
    await database.pool.query(`select customer.advance_watches('2026-11-27T10:05:01Z')`);
    // The third submission adds no company to the watch list, so no mail is written for it.
    expect(await submitter.mails()).toMatchObject([
      { data: { failed: [{ identifier_value: '0000000017' }] } },
      { data: { failed: [{}, {}] } },
    ]);
  });

  test('202 looks at the submitted numbers alone: what else waits is left to the worker', async () => {
    const submitter = await createSubmitter(database, api);
    await submitter.add('NIP', bakery);
    await database.pool.query(
      `update customer.watch set state = 'queued', company_id = null, ready_at = null
      where account_id = $1`,
      [submitter.account_id],
    );
    await submitter.add('NIP', '1000202000');
    expect((await submitter.list())[0]).toBe(`NIP ${bakery} queued`);
    await submitter.add('NIP', bakery);
    expect((await submitter.list())[0]).toBe(bakeryListed);
  });

  test('202 for lists that come at once: nothing fails, nothing doubles', async () => {
    const submitter = await createSubmitter(database, api);
    const lists = Array.from({ length: 12 }, (_, at) =>
      at % 2 === 0 ? ['NIP', bakery, '1001403002', '1000205004'] : ['REGON9', '990200011'],
    );
    // `submitter.add` throws unless the submission is accepted.
    await Promise.all(lists.map(([type = '', ...list]) => submitter.add(type, ...list)));
    expect((await submitter.list()).toSorted()).toEqual([
      bakeryListed,
      'NIP 1000205004 queued',
      expect.stringMatching(/^NIP 1001403002 ready /),
    ]);
    // A submission gets a mail only if it added a company and all its companies are settled: here at most the first
    // REGON submission.
    expect((await submitter.mails()).length).toBeLessThan(2);
  });
});

const nip = 'must be a NIP: ten digits, the last of which is the check digit.';
const regon = 'must be a REGON of nine digits, the last of which is the check digit.';
const krs = 'must be a KRS number: ten digits, leading zeros included.';

describe('POST /api/v1/companies/add with what is wrong', () => {
  let submitter: Submitter;
  beforeAll(async () => {
    submitter = await createSubmitter(database, api);
  });

  const ask = (body: unknown) => submitter.ask('POST /companies/add', body);

  test.each([
    ['NIP', '1000201007', nip],
    ['NIP', '0000000000', nip],
    ['NIP', '10002010066', nip],
    ['NIP', 'PL1000201006', nip],
    ['NIP', '１０００２０１００６', nip],
    ['NIP', '- -', nip],
    ['REGON9', '990200012', regon],
    ['REGON9', '000000000', regon],
    ['REGON9', bakery, regon],
    ['KRS', '17', krs],
    ['KRS', '0000000000', krs],
  ])('422 for a number that is none: %s %j', async (identifier_type, number, form) => {
    const field = 'identifier_value.0';
    expect(await ask({ identifier_type, identifier_value: [number] })).toEqual(
      refusal(field, `The ${field} field ${form}`),
    );
  });

  test('422 names each wrong item by its place', async () => {
    const identifier_value = [bakery, '1', bakery, 'x'.repeat(51), 7, null, '1000205004'];
    const errors = refusals({
      'identifier_value.1': nip,
      'identifier_value.3': 'must not be longer than 50 characters.',
      'identifier_value.4': 'must be a string.',
      'identifier_value.5': 'must be a string.',
    });
    const message = `${errors['identifier_value.3']![0]} (and 3 more errors)`;
    const answer = await ask({ identifier_type: 'NIP', identifier_value });
    expect(answer).toEqual({ status: 422, body: { message, errors } });
  });

  test.each([
    [{}, ['identifier_type', 'identifier_value']],
    [{ identifier_type: 'NIP' }, ['identifier_value']],
    [{ identifier_type: 'NIP', identifier_value: [] }, ['identifier_value']],
    [{ identifier_type: 'NIP', identifier_value: bakery }, ['identifier_value']],
    [{ identifier_type: 'REGON', identifier_value: ['1'] }, ['identifier_type']],
    [{ identifier_type: ['NIP'], identifier_value: [bakery] }, ['identifier_type']],
    [{ name: 'NIP', value: [bakery] }, ['name', 'value', 'identifier_type', 'identifier_value']],
    [{ identifier_type: 'NIP', identifier_value: [bakery], force: true }, ['force']],
  ])('422 for %j', async (body, fields) => {
    const answer = await ask(body);
    expect(answer.status).toBe(422);
    expect(Object.keys((answer.body as { errors: object }).errors)).toEqual(fields);
  });

  test('leaves nothing behind', async () => {
    expect(await submitter.list()).toEqual([]);
    expect(await submitter.mails()).toEqual([]);
  });
});
