import { beforeEach, describe, expect, test } from 'vitest';
import { serveMail } from '../../fixtures/process/mail-delivery.ts';
import { openShop } from '../../fixtures/client/shop.ts';
import { eventOf, signatureOf, type StubSession } from '../../fixtures/client/stripe-stub.ts';
import { sendMail } from '../../pipeline/mail/send.ts';
import { charge } from './ledger.ts';

const shop = openShop();
/** Of the checkout that the buyer has just opened, for 500 credits at 49.00 PLN. */
let session: StubSession;
let payment_intent: string;
let count = 0;

beforeEach(async () => {
  await shop.buyer.buy('starter');
  session = shop.stub.sessions.at(-1)!;
  payment_intent = `pi_test_${(count += 1)}`;
  shop.api.log.length = 0;
});

async function tell(payload: string): Promise<unknown> {
  const response = await shop.api.ask('/api/v1/webhooks/stripe', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Stripe-Signature': signatureOf(payload, shop.now),
    },
    body: payload,
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { result: unknown }).result;
}

const pay = () =>
  tell(
    eventOf('checkout.session.completed', { ...session, payment_intent, payment_status: 'paid' }),
  );

const refund = (amount_refunded: number, change: object = {}) =>
  tell(
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

const dispute = (amount: number, change: object = {}) =>
  tell(
    eventOf('charge.dispute.created', {
      id: 'dp_test_1',
      object: 'dispute',
      amount,
      charge: 'ch_test_1',
      currency: 'pln',
      metadata: {},
      payment_intent,
      ...change,
    }),
  );

const bonus = { type: 'start', amount: 200, balance_after: 200, description: 'Welcome bonus' };
const deposit = {
  type: 'deposit',
  amount: 500,
  balance_after: 700,
  description: 'Top-up: Starter',
};
const taken = (amount: number, balance_after: number, description = 'Refund: Starter') => ({
  type: 'withdraw',
  amount,
  balance_after,
  description,
});

/** What arrives of the mails about refunds. */
async function receive(): Promise<{ subject: string | undefined; text: string | undefined }[]> {
  const { rows } = await shop.database.pool.query<{ mail_id: string }>(
    `select mail_id from customer.mail where account_id = $1 and template = 'refund' order by mail_id`,
    [shop.buyer.account_id],
  );
  const { smtp, options } = await serveMail(shop.database);
  for (const { mail_id } of rows) await sendMail(options, Number(mail_id), false);
  return smtp.mails.map(({ email: { subject, text } }) => ({ subject, text }));
}

async function spend(amount: number): Promise<void> {
  const { account_id } = shop.buyer;
  const use = { account_id, amount, description: 'Snapshot', operation_key: 'use', now: shop.now };
  await shop.database.kysely.transaction().execute((tx) => charge(tx, use));
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
        text: `Hello Anna Nowak,

Your payment for Starter was refunded. 500 credits were taken back from your wallet, which now has 200.
`,
      },
    ]);
  });

  test('takes the part of the credits that a part of the price bought, each part once', async () => {
    await pay();
    expect(await refund(1000)).toBe('reversed');
    expect(await refund(1000)).toBe('repeated');
    expect(await refund(2450)).toBe('reversed');
    // The event of the first refund, which arrives again.
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

  test('takes no more than the wallet has, and the mail names the rest', async () => {
    await pay();
    await spend(580);
    expect(await refund(4900)).toBe('reversed');
    expect((await shop.buyer.movements()).at(-1)).toEqual(taken(120, 0));
    expect(await refund(4900)).toBe('repeated');
    const [mail] = await receive();
    expect(mail!.text).toContain('120 credits were taken back from your wallet, which now has 0.');
    expect(mail!.text).toContain('380 credits more, which you have used.');
  });

  test('takes nothing from an empty wallet, and the mail says so', async () => {
    await pay();
    await spend(700);
    expect(await refund(4900)).toBe('reversed');
    expect(await shop.buyer.movements()).toHaveLength(3);
    expect(await receive()).toHaveLength(1);
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

  test('after a refund of a part takes the rest', async () => {
    await pay();
    expect(await refund(2450)).toBe('reversed');
    expect(await dispute(2450)).toBe('reversed');
    expect(await shop.buyer.movements()).toEqual([
      bonus,
      deposit,
      taken(250, 450),
      taken(250, 200, 'Dispute: Starter'),
    ]);
  });

  test('in another currency takes all credits back', async () => {
    await pay();
    expect(await dispute(1150, { currency: 'eur' })).toBe('reversed');
    expect((await shop.buyer.movements()).at(-1)).toEqual(taken(500, 200, 'Dispute: Starter'));
  });
});
