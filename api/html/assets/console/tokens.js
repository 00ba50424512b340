// Shows the tokens of the account, which only the Master Token manages.
import { element, find } from '../dom.js';
import { action, ask, call, listing, numberOf, onSubmit, rowOf, secretOf, timeOf } from './kit.js';

const created = find('#create-form output');
/** The reference of the Master Token, which can be renamed, but neither rotated nor revoked. */
let masterRef;

export function setMasterRef(token_ref) {
  masterRef = token_ref;
}

function describeUse({ last_used_at, last_used_ip, usage_count }) {
  if (!last_used_at) return 'never';
  return [
    timeOf(last_used_at),
    ` from ${last_used_ip ?? 'unknown'}, ${numberOf(usage_count)} uses`,
  ];
}

export const loadTokens = listing('tokens', '/tokens', (one) => {
  const { name, token_ref, is_active } = one;
  const rename = async () => {
    const value = await ask({ title: `Rename ${name}`, button: 'Rename', value: name });
    if (!value) return undefined;
    await call('PUT', `/tokens/${token_ref}`, { name: value });
    await loadTokens();
    return `${name} is now ${value}.`;
  };
  const rotate = async () => {
    const text = 'The old secret stops working at once, and a new one is shown.';
    if (!(await ask({ title: `Rotate ${name}?`, text, button: 'Rotate' }))) return undefined;
    const { data } = await call('POST', `/tokens/${token_ref}/rotate`);
    await loadTokens();
    return secretOf(data.new_token.warning, data.new_token.plaintext);
  };
  const revoke = async () => {
    const text = 'Every program that uses the token is refused from now on. This cannot be undone.';
    if (!(await ask({ title: `Revoke ${name}?`, text, button: 'Revoke' }))) return undefined;
    await call('DELETE', `/tokens/${token_ref}`);
    await loadTokens();
    return `${name} is revoked.`;
  };
  const changes = token_ref === masterRef ? {} : { Rotate: rotate, Revoke: revoke };
  const buttons = Object.entries({ Rename: rename, ...changes }).map(([text, run]) =>
    action(text, name, created, run),
  );
  return rowOf(
    name,
    element('code', {}, token_ref),
    timeOf(one.created_at),
    one.expires_at ? timeOf(one.expires_at) : 'never',
    describeUse(one),
    is_active
      ? element('div', { className: 'actions' }, ...buttons)
      : ['revoked ', timeOf(one.revoked_at)],
  );
});

onSubmit('create', async ({ name, expires_in_days }, form) => {
  const lifetime = expires_in_days && { expires_in_days: Number(expires_in_days) };
  const { data } = await call('POST', '/tokens', { name, ...lifetime });
  form.reset();
  await loadTokens();
  return secretOf(data.warning, data.plaintext);
});
