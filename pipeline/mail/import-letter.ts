import { z } from 'zod';
import { present } from './digest-letter.ts';
import type { Letter, Piece } from './letter.ts';
import { describeMoment, greet, type LetterOptions } from './token-letters.ts';

const text = z.string();

const item = z.object({
  name: text.nullable(),
  identifier_type: text,
  identifier_value: text,
  /** Why it failed. */
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

/** Tells what became of the companies that were submitted to the watch list at once. */
export function writeImportLetter(_options: LetterOptions, data: unknown): Promise<Letter> {
  const { user_name, submitted_at, ready, failed, removed_count } = importData.parse(data);
  const outcomes = [
    ...(ready.length > 0 ? [`${ready.length} ready`] : []),
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
  ];
  const all = ready.length + failed.length + removed_count;
  const removed = removed_count > 0 ? ` ${removed_count} you have removed meanwhile.` : '';
  return Promise.resolve({
    subject: `Your watch list: ${outcomes.join(', ')}`,
    pieces: [
      { text: greet(user_name) },
      {
        text: `On ${describeMoment(new Date(submitted_at))}, you submitted ${all} ${all === 1 ? 'company' : 'companies'} to your watch list. This is what became of ${all === 1 ? 'it' : 'them'}.${removed}`,
      },
      ...writeSection(`Ready: ${ready.length}`, ready, describeCompany),
      ...(ready.length > 0
        ? [{ text: 'Their events come into your feed from now on: GET /watchlist/events.' }]
        : []),
      ...writeSection(`Failed: ${failed.length}`, failed, describeFailure),
      ...(failed.length > 0 ? [{ text: 'Submit a number again to have it imported anew.' }] : []),
    ],
  });
}

function writeSection(heading: string, items: readonly Item[], write: (one: Item) => Piece) {
  return items.length === 0 ? [] : [{ heading }, ...items.map(write)];
}

function describeCompany({ name, ...company }: Item): Piece {
  return {
    title: present(name) || 'A company without a name',
    note: `${company.identifier_type} ${company.identifier_value}`,
    lines: [],
  };
}

function describeFailure({ identifier_type, identifier_value, reason }: Item): Piece {
  return { title: `${identifier_type} ${identifier_value}`, note: present(reason), lines: [] };
}
