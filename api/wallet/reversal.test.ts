import { beforeEach, describe, expect, test } from 'vitest';
import { serveMail } from '../../fixtures/process/mail-delivery.ts';
import { bonus, deposit, openShop } from '../../fixtures/client/shop.ts';
import { eventOf, type StubSession } from '../../fixtures/client/stripe-stub.ts';
import { sendMail } from '../../pipeline/mail/send.ts';
import { queryFile } from '../../sql/connection/database.ts';
import { charge } from './charge.ts';

const shop = await openShop();
/** The Stripe session of the checkout that the buyer has just opened, for 500 credits at 49.00 PLN. */
let session: StubSession;
let payment_intent: string;
let count = 0;

beforeEach(async () => {
  await shop.buyer.buy('starter');
  session = shop.stub.sessions.at(-1)!;
  payment_intent = `pi_test_${(count += 1)}`;
});

const pay = () =>
  shop.report(
    eventOf('checkout.session.completed', { ...session, payment_intent, payment_status: 'paid' }),
  );

const refund = (amount_refunded: number, change: object = {}) =>
  shop.report(
    eventOf('charge.refunded', {
      id: 'ch_test_1',
      object: 'charge',
      amount: 4900,
      amount_refunded,
      currency: 'pln',
      metadata: session.metadata,
      payment_intent,
      ...change,
    }),
  );

const dispute = (amount: number, change: object = {}, what = 'created') =>
  shop.report(
    eventOf(`charge.dispute.${what}`, {
      id: 'dp_test_1',
      object: 'dispute',
      amount,
      charge: 'ch_test_1',
      currency: 'pln',
      metadata: {},
      payment_intent,
      status: 'needs_response',
      ...change,
    }),
  );

const taken = (amount: number, balance_after: number, description = 'Refund: Starter') => ({
  type: 'withdraw',
  amount,
  balance_after,
  description,
});

/** Sends the buyer's mails about refunds to a test SMTP server, and returns subject and text of each received mail. */
async function receive(): Promise<{ subject: string | undefined; text: string | undefined }[]> {
  const { rows } = await shop.database.pool.query<{ mail_id: string }>(
    `select mail_id from customer.mail where account_id = $1 and template = 'refund' order by mail_id`,
    [shop.buyer.account_id],
  );
  const { smtp, options } = await serveMail(shop.database);
  for (const { mail_id } of rows) await sendMail(options, Number(mail_id));
  return smtp.mails.map(({ email: { subject, text } }) => ({ subject, text }));
}

async function spend(amount: number): Promise<void> {
  const { account_id } = shop.buyer;
  const use = { account_id, amount, description: 'Snapshot', operation_key: 'use', now: shop.now };
  await shop.database.kysely.transaction().execute((tx) => charge(tx, use));
}

/** Returns the number of credits that all accounts have spent, as `/metrics` shows it. */
async function readSpent(): Promise<number> {
  type Sample = { name: string; value: string };
  const samples = await queryFile<Sample>(shop.database.pool, 'metrics/registry.sql');
  return Number(samples.find(({ name }) => name === 'registry_credits_spent_total')!.value);
}

describe('charge.refunded', () => {
  test('takes the credits of a refunded payment back, once, and a mail says so', async () => {
    expect(await pay()).toBe('credited');
    const results = await Promise.all(Array.from({ length: 10 }, () => refund(4900)));
    expect(results.filter((result) => result === 'reversed')).toHaveLength(1);
    expect(results.filter((result) => result === 'repeated')).toHaveLength(9);
    expect(await shop.buyer.movements()).toEqual([bonus, deposit, taken(500, 200)]);
    expect(await receive()).toEqual([
      {
        subject: '500 credits were taken back',
        text: expect.stringContaining(`Hello Anna Nowak,

Your payment for Starter was refunded. 500 credits were taken back from your wallet, which now has 200.
`) as string,
      },
    ]);
  });

  test('takes the part of the credits that a part of the price bought, each part once', async () => {
    await pay();
    expect(await refund(1000)).toBe('reversed');
    expect(await refund(1000)).toBe('repeated');
    expect(await refund(2450)).toBe('reversed');
    // The event of the first refund arrives a second time.
    expect(await refund(1000)).toBe('repeated');
    expect(await refund(4900)).toBe('reversed');
    expect(await shop.buyer.movements()).toEqual([
      bonus,
      deposit,
      taken(102, 598),
      taken(148, 450),
      taken(250, 200),
    ]);
  });

  test.each([
    [580, [taken(120, 0)]],
    [700, []],
  ])('takes no more than the wallet has after %i credits were spent', async (spent, movements) => {
    await pay();
    await spend(spent);
    expect(await refund(4900)).toBe('reversed');
    expect((await shop.buyer.movements()).slice(3)).toEqual(movements);
    expect(await refund(4900)).toBe('repeated');
    // A refund of a payment whose credits are all spent takes nothing from the empty wallet, and no mail is written for
    // it.
    const mails = await receive();
    expect(mails).toHaveLength(movements.length);
    for (const { text } of mails) {
      expect(text).toContain('120 credits were taken back from your wallet, which now has 0.');
      expect(text).toContain('380 credits more, which you have used.');
    }
  });

  test('before the report of the payment takes the credits back once they are there', async () => {
    expect(await refund(4900)).toBe('recorded');
    expect(await shop.buyer.movements()).toEqual([bonus]);
    expect(await pay()).toBe('credited');
    expect(await shop.buyer.movements()).toEqual([bonus, deposit, taken(500, 200)]);
    expect(await refund(4900)).toBe('repeated');
  });

  test('of a payment that is not ours changes nothing', async () => {
    await pay();
    const other = { payment_intent: 'pi_other', metadata: {} };
    expect(await refund(4900, other)).toBe('unknown');
    expect(await refund(4900, { payment_intent: null, metadata: {} })).toBe('unknown');
    expect(await shop.buyer.movements()).toEqual([bonus, deposit]);
  });
});

describe('charge.dispute.created', () => {
  test('takes the credits of the disputed payment back, once', async () => {
    await pay();
    expect(await dispute(4900)).toBe('reversed');
    expect(await dispute(4900)).toBe('repeated');
    expect(await refund(4900)).toBe('repeated');
    expect(await shop.buyer.movements()).toEqual([
      bonus,
      deposit,
      taken(500, 200, 'Dispute: Starter'),
    ]);
    const [mail] = await receive();
    expect(mail!.text).toContain('Your payment for Starter was disputed with your bank.');
  });

  test('in another currency takes all credits back', async () => {
    await pay();
    expect(await dispute(1150, { currency: 'eur' })).toBe('reversed');
    expect((await shop.buyer.movements()).at(-1)).toEqual(taken(500, 200, 'Dispute: Starter'));
  });
});

describe('a dispute that is won', () => {
  const won = (change: object = {}) => dispute(4900, { status: 'won', ...change }, 'closed');
  const reinstated = () => dispute(4900, { status: 'under_review' }, 'funds_reinstated');
  const given = (amount: number, balance_after: number) => ({
    type: 'deposit',
    amount,
    balance_after,
    description: 'Dispute won: Starter',
  });
  const lost = taken(500, 200, 'Dispute: Starter');

  test.each([
    ['closed', won, reinstated],
    ['funds_reinstated', reinstated, won],
  ])('gives the credits back, once, and a mail says so: %s', async (_name, first, second) => {
    await pay();
    await dispute(4900);
    const results = await Promise.all(Array.from({ length: 10 }, first));
    expect(results.filter((result) => result === 'reversed')).toHaveLength(1);
    expect(await second()).toBe('repeated');
    // The events from the beginning of the dispute arrive a second time.
    expect(await dispute(4900)).toBe('repeated');
    expect(await dispute(4900, {}, 'funds_withdrawn')).toBe('repeated');
    expect(await shop.buyer.movements()).toEqual([bonus, deposit, lost, given(500, 700)]);
    // `total_purchased` counts the 500 credits once, although they were given back after the dispute.
    expect(await shop.buyer.ask('/wallet')).toMatchObject({
      body: { data: { balance: 700, total_purchased: 500 } },
    });
    expect((await receive())[1]).toEqual({
      subject: '500 credits were given back',
      text: expect.stringContaining(`Hello Anna Nowak,

The dispute of your payment for Starter with your bank is over, and the payment stands. 500 credits were given back to your wallet, which now has 700.
`) as string,
    });
  });

  test('is told before its beginning: nothing is taken', async () => {
    await pay();
    expect(await won()).toBe('repeated');
    expect(await dispute(4900)).toBe('repeated');
    expect(await shop.buyer.movements()).toEqual([bonus, deposit]);
    expect(await won({ payment_intent: 'pi_other' })).toBe('unknown');
  });

  test('gives back what was taken and not what had been spent; a refund then counts alone', async () => {
    const before = await readSpent();
    await pay();
    await spend(580);
    await dispute(4900);
    expect(await readSpent()).toBe(before + 580);
    expect(await won()).toBe('reversed');
    // The metric must not decrease, because Prometheus would take a decrease of a counter for a restart and count all
    // credits again.
    expect(await readSpent()).toBe(before + 580);
    expect((await shop.buyer.movements()).at(-1)).toEqual(given(120, 120));
    expect(await refund(490)).toBe('reversed');
    // Another dispute.
    expect(await dispute(4900, { id: 'dp_test_2' })).toBe('reversed');
    expect((await shop.buyer.movements()).slice(-2)).toEqual([
      taken(50, 70),
      taken(70, 0, 'Dispute: Starter'),
    ]);
  });

  test('is not one that is lost, an inquiry, or one that was prevented', async () => {
    await pay();
    for (const status of ['warning_needs_response', 'warning_under_review', 'prevented']) {
      expect(await dispute(4900, { status })).toBe('ignored');
    }
    expect(await dispute(4900, { status: 'warning_closed' }, 'closed')).toBe('ignored');
    expect(await shop.buyer.movements()).toEqual([bonus, deposit]);
    // The bank's inquiry about the payment becomes a dispute.
    expect(await dispute(4900, {}, 'funds_withdrawn')).toBe('reversed');
    expect(await dispute(4900, { status: 'lost' }, 'closed')).toBe('repeated');
    expect(await shop.buyer.movements()).toEqual([bonus, deposit, lost]);
  });
});

test('of an account that has ended moves credits, mails nothing, and credits no later payment', async () => {
  const { account_id } = shop.buyer;
  expect(await pay()).toBe('credited');
  await shop.buyer.buy('starter');
  await shop.database.pool.query(`select customer.end_account($1, 'hmac:1', 'hmac:2', now())`, [
    account_id,
  ]);
  expect(await refund(4900)).toBe('reversed');
  session = shop.stub.sessions.at(-1)!;
  expect(await pay()).toBe('refused');
  const { rows } = await shop.database.pool.query(
    'select from customer.mail where account_id = $1',
    [account_id],
  );
  expect(rows).toEqual([]);
  expect(await shop.buyer.movements()).toEqual([bonus, deposit, taken(500, 200)]);
  const ends = (await shop.buyer.payments()).map(({ state, refusal }) => [state, refusal].join());
  expect(ends.toSorted()).toEqual(['paid,', 'refused,The account has ended']);
});
