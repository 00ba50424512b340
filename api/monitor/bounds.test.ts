import { describe, expect, test } from 'vitest';
import { refusal } from '../../fixtures/client/json-client.ts';
import { createSubmitter, type Submitter } from '../../fixtures/client/submitter.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { createFirstDay } from '../../fixtures/dump/night.ts';

let now = new Date('2026-11-20T10:05:00Z');

const bounds = { WATCHES_PER_ACCOUNT: 4, QUEUED_NUMBERS_PER_ACCOUNT: 2, SUBMISSIONS_PER_DAY: 8 };
const { database, api } = await useApi({ now: () => now, ...bounds }, createFirstDay);

const krs = (last: number) => String(last).padStart(10, '0');

function submit(submitter: Submitter, identifier_type: string, ...identifier_value: string[]) {
  return submitter.ask('POST /companies/add', { identifier_type, identifier_value });
}

function refused(message: string) {
  return refusal('identifier_value', message);
}

describe('an account adds', () => {
  test('as many numbers to the queue as its bound says, and nothing of a submission beyond', async () => {
    const submitter = await createSubmitter(database, api);
    const waits = (count: number) =>
      `At most 2 numbers of an account wait for their import; this would make ${count}.`;
    expect(await submit(submitter, 'KRS', krs(1), krs(2), krs(3))).toEqual(refused(waits(3)));
    expect(await submitter.list()).toEqual([]);
    await submitter.add('KRS', krs(1), krs(2));
    expect(await submit(submitter, 'KRS', krs(3))).toEqual(refused(waits(3)));
    // A number that is already queued and a number of a published company do not count against the bound of the queue.
    await submitter.add('KRS', krs(2), krs(1));
    await submitter.add('NIP', '1000201006');
    expect(await submitter.list()).toHaveLength(3);
    // The bound of the queue is counted for each account separately.
    const other = await createSubmitter(database, api);
    await other.add('KRS', krs(3));
  });

  test('as many companies as its bound says, also with requests at once', async () => {
    const submitter = await createSubmitter(database, api);
    const numbers = ['1000201006', '1000202000', '1000203005', '1000206009', '1000401001'];
    const answers = await Promise.all(numbers.map((nip) => submit(submitter, 'NIP', nip)));
    const message = 'A watch list has at most 4 companies; this would make 5.';
    expect(answers.filter(({ status }) => status !== 202)).toEqual([refused(message)]);
    expect(await submitter.list()).toHaveLength(4);
    const last = numbers[answers.findIndex(({ status }) => status === 422)]!;
    await submitter.ask('DELETE /companies/watched', {
      identifier_type: 'NIP',
      identifier_value: [numbers.find((nip) => nip !== last)],
    });
    await submitter.add('NIP', last);
  });

  test('with as many submissions in 24 hours as its bound says', async () => {
    const submitter = await createSubmitter(database, api);
    const many = Array.from({ length: 10 }, () => submit(submitter, 'NIP', '1000201006'));
    const answers = await Promise.all(many);
    const message = 'An account has at most 8 submissions a day.';
    expect(answers.filter(({ status }) => status !== 202)).toEqual([
      { status: 429, body: { message } },
      { status: 429, body: { message } },
    ]);
    now = new Date(now.getTime() + 86_400_000);
    await submitter.add('NIP', '1000201006');
  });

  test('without a mail about submissions, where it wants none', async () => {
    const submitter = await createSubmitter(database, api);
    const settings = { alert_min_severity: 'info', notify_submissions: false };
    await submitter.ask('PATCH /watchlist/alerts', settings);
    // A request without `notify_submissions` leaves this setting unchanged.
    await submitter.ask('PATCH /watchlist/alerts', { alert_min_severity: 'high' });
    expect(await submitter.add('NIP', '1000201006')).toMatchObject({
      body: { message: '1 of 1 company ready.' },
    });
    expect(await submitter.mails()).toEqual([]);
    await submitter.ask('PATCH /watchlist/alerts', { ...settings, notify_submissions: true });
    await submitter.add('NIP', '1000202000');
    expect(await submitter.mails()).toHaveLength(1);
  });
});
