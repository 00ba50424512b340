import type { Field } from './fields.ts';
import type { Described, Reference } from './reference.ts';

/** A place that the search of the reference finds: its name, where that is, what it says, its address. */
type Entry = [kind: string, name: string, where: string, text: string, address: string];

const plain = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/&(\w+|#39);/g, (whole, name: string) => signs[name] ?? whole);

const signs: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" };

/** The anchor of a field; fields of the answer have `answer` before their path. */
export function anchorOf({ id }: Pick<Described, 'id'>, { path }: Field): string {
  return `${id}.${path}`;
}

function listAll(fields: Field[]): Field[] {
  return fields.flatMap((field) => [field, ...listAll(field.fields)]);
}

function listOperation(operation: Described): Entry[] {
  const { method, path, chapter, summary, requests, answer, errors } = operation;
  const name = `${method} ${path}`;
  const fields = listAll([...requests.flatMap((one) => one.fields), ...answer.fields]);
  return [
    ['endpoint', name, summary, plain(operation.description), `${chapter}#${operation.id}`],
    ...fields.map((field): Entry => {
      const text = plain(field.description);
      return ['field', field.name, name, text, `${chapter}#${anchorOf(operation, field)}`];
    }),
    ...errors.map(({ status, description }): Entry => {
      return ['error', status, name, plain(description), `${chapter}#${operation.id}.${status}`];
    }),
  ];
}

/** What the search of the reference looks through. */
export function listEntries(
  { introduction, errors, steps, chapters }: Reference,
  guides: { path: string; title: string; sections: { id: string; text: string }[] }[],
): Entry[] {
  return [
    ...steps.map((step, at): Entry => {
      return ['section', step.title, 'Quickstart', plain(step.text), `/docs#step-${at + 1}`];
    }),
    ...introduction.headings.map(({ text, id }): Entry => [
      'section',
      text,
      'Reference',
      '',
      `/docs#${id}`,
    ]),
    ...errors.map(({ status, description }): Entry => {
      return ['error', status, 'All endpoints', plain(description), `/docs#error-${status}`];
    }),
    ...guides.flatMap(({ path, title, sections }) =>
      sections.map(({ id, text }): Entry => ['section', text, title, '', `${path}#${id}`]),
    ),
    ...chapters.flatMap(({ operations }) => operations.flatMap(listOperation)),
  ];
}
