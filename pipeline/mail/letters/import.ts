import { z } from 'zod';
import type { Letter, Piece } from '../letter.ts';
import { present } from '../../../sql/words/event-words.ts';
import { greet, type LetterOptions, pageOf } from './options.ts';

const text = z.string();

const item = z.object({
  company_ref: text.nullable(),
  name: text.nullable(),
  identifier_type: text,
  identifier_value: text,
  /** The reason of the failure, with the values that its sentence names. */
  failure: z
    .object({ code: z.enum(['unknown', 'unanswered', 'unreported']) })
    .catchall(z.union([text, z.number()]))
    .nullable(),
});

/** The data that `customer.settle_submissions` stores for the mail about a submission. */
const importData = z.object({
  user_name: text,
  submitted_at: z.iso.datetime(),
  ready: z.array(item),
  failed: z.array(item),
  removed_count: z.int(),
});

export function writeImportLetter({ texts, baseUrl }: LetterOptions, data: unknown): Letter {
  const { user_name, submitted_at, ready, failed, removed_count: removed } = importData.parse(data);
  const words = texts.import;
  const outcomes: string[] = [];
  const sections: Piece[] = [];
  if (ready.length > 0) {
    const count = ready.length;
    outcomes.push(words.ready({ count }));
    const companies = ready.map(({ company_ref, name, identifier_type, identifier_value }) => ({
      title: present(name) || texts.common.unnamedCompany(),
      note: `${identifier_type} ${identifier_value}`,
      page: pageOf(baseUrl, company_ref),
      lines: [],
    }));
    sections.push({ heading: words.readyHeading({ count }) }, ...companies);
    sections.push({ text: words.readyHint() });
    sections.push({ link: `${baseUrl}/console#events`, label: words.events() });
  }
  if (failed.length > 0) {
    const count = failed.length;
    outcomes.push(words.failed({ count }));
    const numbers = failed.map(({ identifier_type, identifier_value, failure }) => ({
      title: `${identifier_type} ${identifier_value}`,
      note: words[failure!.code](failure!),
      lines: [],
    }));
    sections.push({ heading: words.failedHeading({ count }) }, ...numbers);
    sections.push({ text: words.failedHint() });
  }
  const count = ready.length + failed.length + removed;
  return {
    subject: words.subject({ outcomes: outcomes.join(', ') }),
    pieces: [
      { text: greet(texts, user_name) },
      { text: words.intro({ at: new Date(submitted_at), count, removed }) },
      ...sections,
    ],
  };
}
