// Objections of the account to what is said of a company.
import { element, find } from '../dom.js';
import { call, listing, onSubmit, rowOf, timeOf } from './kit.js';

/** The path of the objections to the shown company. */
let path;
const output = find('#challenge-form output');

const load = listing(
  'challenges',
  () => path,
  (one) =>
    rowOf(
      timeOf(one.created_at),
      one.field.replace('_', ' '),
      element('span', { title: one.evidence }, one.value),
      one.state,
      one.answer ?? '–',
    ),
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
