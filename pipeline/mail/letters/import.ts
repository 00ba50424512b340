import { z } from 'zod';
import type { Letter, Piece } from '../letter.ts';
import { greet, type LetterOptions, present } from './options.ts';

const text = z.string();

const item = z.object({
  name: text.nullable(),
  identifier_type: text,
  identifier_value: text,
  reason: text.nullable(),
});

type Item = z.output<typeof item>;

/** What `customer.settle_submissions` leaves for the mail about a submission. */
const importData = z.object({
  user_name: text,
  submitted_at: z.iso.datetime(),
  ready: z.array(item),
  failed: z.array(item),
  removed_count: z.int(),
});

export function writeImportLetter({ texts }: LetterOptions, data: unknown): Letter {
  const { user_name, submitted_at, ready, failed, removed_count } = importData.parse(data);
  const words = texts.import;
  const outcomes = [
    ...(ready.length > 0 ? [words.ready(ready.length)] : []),
    ...(failed.length > 0 ? [words.failed(failed.length)] : []),
  ];
  const all = ready.length + failed.length + removed_count;
  const intro = words.intro(texts.moment(new Date(submitted_at)), all);
  return {
    subject: words.subject(outcomes.join(', ')),
    pieces: [
      { text: greet(texts, user_name) },
      { text: removed_count > 0 ? intro + words.removed(removed_count) : intro },
      ...writeSection(words.readyHeading, ready, words.readyHint, ({ name, ...company }) => ({
        title: present(name) || texts.unnamedCompany,
        note: `${company.identifier_type} ${company.identifier_value}`,
        lines: [],
      })),
      ...writeSection(words.failedHeading, failed, words.failedHint, (one) => ({
        title: `${one.identifier_type} ${one.identifier_value}`,
        note: words.reason(present(one.reason)),
        lines: [],
      })),
    ],
  };
}

function writeSection(
  heading: (count: number) => string,
  items: readonly Item[],
  hint: string,
  write: (one: Item) => Piece,
): Piece[] {
  if (items.length === 0) return [];
  return [{ heading: heading(items.length) }, ...items.map(write), { text: hint }];
}
