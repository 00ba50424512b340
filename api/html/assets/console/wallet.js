// Shows the wallet: balance, packages of credits, and ledger.
import { element, find } from '../dom.js';
import {
  call,
  creditsOf,
  hasToken,
  listing,
  onSubmit,
  report,
  rowOf,
  showBalance,
  timeOf,
} from './kit.js';
import { onView } from './route.js';

const signedOf = ({ type, amount }) => `${type === 'withdraw' ? '−' : '+'}${creditsOf(amount)}`;

const loadLedger = listing('ledger', '/wallet/transactions', (entry) =>
  rowOf(
    timeOf(entry.created_at),
    entry.type,
    entry.description,
    element('span', { className: 'number' }, signedOf(entry)),
    element('span', { className: 'number' }, creditsOf(entry.balance_after)),
  ),
);

export async function loadWallet() {
  const { data } = await call('GET', '/wallet');
  showBalance(data.balance);
  find('#purchased').textContent = creditsOf(data.total_purchased);
}

// The ledger is loaded again, because credits may have been bought or spent in other views.
onView('wallet', () => report(find('#ledger-output'), () => loadLedger(1)));

export async function loadPackages() {
  const { data } = await call('GET', '/wallet/packages');
  const options = data.map(({ package_slug, name, credits, price, currency }) =>
    element(
      'option',
      { value: package_slug },
      `${name}: ${creditsOf(credits)}, ${price} ${currency}`,
    ),
  );
  find('[name=package_slug]').replaceChildren(...options);
}

onSubmit('topup', async (fields) => {
  const { data } = await call('POST', '/wallet/topup', fields);
  const link = { href: data.checkout_url, target: '_blank', rel: 'noopener', className: 'button' };
  setTimeout(() => find('#topup-form output a').focus());
  return [
    element('p', {}, 'The checkout opens in a new tab. Come back here to see the credits.'),
    element('a', link, `Pay for ${creditsOf(data.credits)}`),
  ];
});

document.addEventListener('visibilitychange', () => {
  if (!hasToken() || document.visibilityState !== 'visible') return;
  const loads = find('#wallet').hidden ? [loadWallet()] : [loadWallet(), loadLedger(1)];
  void Promise.all(loads).catch(() => undefined);
});
