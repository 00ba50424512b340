import { beforeEach, describe, expect, test } from 'vitest';
import { createBuyer, type Buyer } from '../../fixtures/client/buyer.ts';
import { bonus, deposit } from '../../fixtures/client/shop.ts';
import { startStripeStub } from '../../fixtures/client/stripe-stub.ts';
import { startTestApi } from '../../fixtures/client/test-api.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { createLocalPayment } from './payment.ts';

const now = new Date('2026-05-01T10:00:00Z');

let buyer: Buyer;
/** The path of the checkout page that the buyer has just opened, for 500 credits at 49.00 PLN. */
let checkout: string;
let payment_id: string;

const payment = createLocalPayment('http://localhost:8080');
const { database, api } = await useApi({ payment, now: () => now });

beforeEach(async () => {
  buyer = await createBuyer(database, api);
  checkout = new URL(await buyer.buy('starter')).pathname;
  payment_id = checkout.split('/').at(-1)!;
});

async function press(button: 'pay' | 'cancel', path = checkout) {
  const response = await api.ask(`${path}/${button}`, { method: 'POST', redirect: 'manual' });
  return { status: response.status, location: response.headers.get('location') };
}

const back = '\n<p><a class="button" href="/console#wallet">Back to the console</a></p>';

async function read(path: string) {
  const response = await api.ask(path);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('content-security-policy')).toMatch(
    /^default-src 'none';script-src 'self';/,
  );
  const html = await response.text();
  expect(html).not.toMatch(/<script[^>]*>[^<]|<style|<img|\sstyle=|\son\w+=/);
  const title = /<h1>(.*)<\/h1>/.exec(html)?.[1];
  const content = /<\/h1>\s*(.*?)\s*<\/main>/s.exec(html)?.[1];
  // Only the page of a checkout that is over has a link back to the console.
  expect(content?.endsWith(back)).toBe(title !== 'Checkout');
  return { status: response.status, title, content: content?.replace(back, '') };
}

async function stateOf(): Promise<unknown> {
  return (await buyer.payments())[0]?.state;
}

const paid = {
  status: 200,
  title: 'Payment received',
  content: '<p>500 credits were added to your wallet.</p>',
};

const cancelled = { status: 200, title: 'Checkout cancelled', content: '<p>Nothing was paid.</p>' };

const unknown = {
  status: 404,
  title: 'Unknown checkout',
  content: '<p>There is no such checkout.</p>',
};

describe('GET /checkout/local/{payment_id}', () => {
  test('200 shows what is bought, with two buttons', async () => {
    expect(await read(checkout)).toEqual({
      status: 200,
      title: 'Checkout',
      content: `<p>This checkout is for development and charges no money.</p>
<dl>
<dt>Package</dt><dd>Starter</dd>
<dt>Credits</dt><dd>500</dd>
<dt>Price</dt><dd>49.00 PLN</dd>
</dl>
<form class="inline" method="post" action="${checkout}/pay"><button>Pay</button></form>
<form class="inline" method="post" action="${checkout}/cancel"><button>Cancel</button></form>`,
    });
  });

  test('changes nothing', async () => {
    await read(checkout);
    await read(`/checkout/success?payment_id=${payment_id}`);
    await read(`/checkout/cancel?payment_id=${payment_id}`);
    expect(await stateOf()).toBe('open');
    for (const button of ['pay', 'cancel']) {
      const response = await api.ask(`${checkout}/${button}`);
      expect(response.status).toBe(405);
      expect(await response.json()).toEqual({ message: 'Method Not Allowed' });
    }
    expect(await stateOf()).toBe('open');
    expect(await buyer.movements()).toHaveLength(1);
  });

  test.each(['00000000-0000-4000-8000-000000000000', 'nothing', '%00', "'; drop table"])(
    '404 for an unknown one: %s',
    async (id) => {
      expect(await read(`/checkout/local/${id}`)).toEqual(unknown);
      const response = await api.ask(`/checkout/local/${id}/pay`, { method: 'POST' });
      expect(response.status).toBe(404);
    },
  );
});

describe('POST /checkout/local/{payment_id}/pay and /cancel', () => {
  test.each([
    ['pay', 'success', paid, 'paid', [bonus, deposit]],
    ['cancel', 'cancel', cancelled, 'cancelled', [bonus]],
  ] as const)('303 ends the checkout: %s', async (button, page, shown, state, movements) => {
    const location = `/checkout/${page}?payment_id=${payment_id}`;
    expect(await press(button)).toEqual({ status: 303, location });
    expect(await read(location)).toEqual(shown);
    expect(await read(checkout)).toEqual(shown);
    expect(await buyer.payments()).toMatchObject([{ state, ended_at: now }]);
    expect(await buyer.movements()).toEqual(movements);
  });

  test('303 credits once when pressed twenty times at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => press('pay')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
    expect(await buyer.movements()).toHaveLength(2);
    await press('pay');
    await press('cancel');
    expect(await buyer.movements()).toHaveLength(2);
    expect(await stateOf()).toBe('paid');
  });

  test('303 credits nothing after the checkout was cancelled', async () => {
    await press('cancel');
    await press('pay');
    expect(await stateOf()).toBe('cancelled');
    expect(await buyer.movements()).toHaveLength(1);
    expect(await read(`/checkout/success?payment_id=${payment_id}`)).toEqual(cancelled);
  });

  test('pays no checkout of another provider', async () => {
    await database.pool.query(
      "update customer.payment set provider = 'stripe' where payment_id = $1",
      [payment_id],
    );
    expect(await press('pay')).toEqual({ status: 404, location: null });
    expect(await stateOf()).toBe('open');
  });

  test('is not there where the provider is another', async () => {
    const stub = await startStripeStub();
    const other = await startTestApi({ db: database.kysely, payment: stub.payment });
    const response = await other.ask(`${checkout}/pay`, { method: 'POST' });
    expect(response.status).toBe(404);
    expect(await stateOf()).toBe('open');
    await stub.close();
  });
});

test('the checkout speaks the language of the account, and keeps one that the address asks for', async () => {
  await database.pool.query("update customer.account set language = 'pl'");
  const english = await (await api.ask(`${checkout}?lang=en`)).text();
  expect(english).toContain(`action="${checkout}/pay?lang=en"`);
  expect(await (await api.ask(checkout)).text()).toContain('<dt>Pakiet</dt><dd>Starter</dd>');
  const options = { method: 'POST', redirect: 'manual' } as const;
  const { headers } = await api.ask(`${checkout}/pay?lang=en`, options);
  expect(headers.get('location')).toBe(`/checkout/success?payment_id=${payment_id}&lang=en`);
  const outcome = await api.ask(`/checkout/success?payment_id=${payment_id}`);
  expect(await outcome.text()).toContain('<p>Do portfela dodano 500 kredytów.</p>');
});

describe('GET /checkout/success and /checkout/cancel', () => {
  test('200 says that an open payment is being confirmed, or was left', async () => {
    expect(await read(`/checkout/success?payment_id=${payment_id}`)).toEqual({
      status: 200,
      title: 'Thank you',
      content:
        '<p>The payment is being confirmed. The 500 credits are added to your wallet as soon as the payment is confirmed.</p>',
    });
    expect(await read(`/checkout/cancel?payment_id=${payment_id}`)).toEqual({
      status: 200,
      title: 'Checkout left',
      content: '<p>Nothing was paid.</p>',
    });
  });

  test.each([
    ['expired', 'Checkout expired', 'Nothing was paid. Open a new checkout to buy credits.'],
    ['failed', 'Payment failed', 'Nothing was paid. Open a new checkout to buy credits.'],
    [
      'refused',
      'Payment not accepted',
      'The payment differs from the price of the package, so no credits were added. Please contact us.',
    ],
  ])('200 says that a payment is %s', async (state, title, text) => {
    await database.pool.query(
      "update customer.payment set state = $2, refusal = '-', ended_at = now() where payment_id = $1",
      [payment_id, state],
    );
    const shown = { status: 200, title, content: `<p>${text}</p>` };
    for (const page of ['success', 'cancel']) {
      expect(await read(`/checkout/${page}?payment_id=${payment_id}`)).toEqual(shown);
    }
  });

  test.each(['', '?payment_id=', '?payment_id=x&payment_id=y', '?payment_id=%3Cscript%3E'])(
    '200 without a payment: "%s"',
    async (query) => {
      expect(await read(`/checkout/success${query}`)).toEqual({
        status: 200,
        title: 'Thank you',
        content: '<p>The credits are added to your wallet once the payment is confirmed.</p>',
      });
      expect(await read(`/checkout/cancel${query}`)).toMatchObject({ title: 'Checkout left' });
    },
  );
});
