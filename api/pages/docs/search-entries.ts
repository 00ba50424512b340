import type { Field } from './fields.ts';
import type { Described, Reference } from './reference.ts';

/** A search entry: a part of the reference that its search can find. */
type Entry = [kind: string, name: string, where: string, text: string, address: string];

const plain = (markdown = '') => markdown.replaceAll('`', '');

/** Returns the anchor of a field. In the anchor, the path of an answer's field begins with `answer`. */
export function anchorOf({ id }: Pick<Described, 'id'>, { path }: Field): string {
  return `${id}.${path}`;
}

function listAll(fields: Field[]): Field[] {
  return fields.flatMap((field) => [field, ...listAll(field.fields)]);
}

function listOperation(operation: Described): Entry[] {
  const { id, method, path, chapter, summary, description, requests, answer, errors } = operation;
  const name = `${method} ${path}`;
  const fields = listAll([...requests.flatMap((one) => one.fields), ...answer.fields]);
  const of = (kind: string, title: string, text: string | undefined, anchor: string): Entry => {
    return [kind, title, name, plain(text), `${chapter}#${anchor}`];
  };
  return [
    ['endpoint', name, summary, plain(description), `${chapter}#${id}`],
    ...fields.map((one) => of('field', one.name, one.description, anchorOf(operation, one))),
    ...errors.map((one) => of('error', one.status, one.description, `${id}.${one.status}`)),
  ];
}

/** Returns the entries of the reference's search: endpoints, fields, errors, and sections of texts. */
export function listEntries(
  { introduction, errors, codes, steps, chapters }: Reference,
  guides: { path: string; title: string; sections: { id: string; text: string }[] }[],
): Entry[] {
  const texts = [{ path: '/docs', title: 'Reference', sections: introduction.headings }, ...guides];
  return [
    ...steps.map(({ title, text }, at): Entry => {
      return ['section', title, 'Quickstart', plain(text), `/docs#step-${at + 1}`];
    }),
    ...errors.map(({ status, description }): Entry => {
      return ['error', status, 'All endpoints', plain(description), `/docs#error-${status}`];
    }),
    ...codes.map(({ code, status = 'of a field', text }): Entry => {
      return ['error', code, `Code ${status}`, plain(text), `/docs#code-${code}`];
    }),
    ...texts.flatMap(({ path, title, sections }) =>
      sections.map(({ id, text }): Entry => ['section', text, title, '', `${path}#${id}`]),
    ),
    ...chapters.flatMap(({ operations }) => operations.flatMap(listOperation)),
  ];
}
