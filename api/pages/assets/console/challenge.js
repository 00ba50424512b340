// Objections of the account to what is said of a company.
import { element, find } from '../dom.js';
import { action, call, listing, onSubmit, rowOf, timeOf } from './kit.js';

/** The path of the objections to the shown company. */
let path;
const output = find('#challenge-form output');

const load = listing(
  'challenges',
  () => path,
  (one) => {
    const withdraw = async () => {
      await call('DELETE', `${path}/${one.challenge_ref}`);
      await load();
      return 'The objection is withdrawn.';
    };
    const what = one.field.replace('_', ' ');
    return rowOf(
      timeOf(one.created_at),
      what,
      element('span', { title: one.evidence }, one.value),
      one.state,
      one.answer ?? '–',
      one.state === 'open' ? action('Withdraw', `the objection to ${what}`, output, withdraw) : '–',
    );
  },
  ({ total }) => (find('#challenges').hidden = total === 0),
);

/** Shows the own objections to a company. */
export async function openChallenges(company_ref, isOther) {
  path = `/companies/${encodeURIComponent(company_ref)}/challenges`;
  if (isOther) {
    find('#challenge-form').reset();
    output.replaceChildren();
    find('#challenges').hidden = true;
  }
  await load(1);
}

onSubmit('challenge', async (fields, form) => {
  await call('POST', path, fields);
  form.reset();
  await load(1);
  return 'The operator has your objection. The answer comes by mail.';
});
