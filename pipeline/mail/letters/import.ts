import type { Values } from '../../../sql/words/message-format.ts';
import { present } from '../../../sql/words/event-words.ts';
import { type Letter, type LetterOptions, pageOf, type Piece, withReference } from '../letter.ts';

interface Item {
  company_ref: string | null;
  name: string | null;
  /** The type and value of the submitted identifier; null for a company that was submitted by its `company_ref`. */
  identifier_type: string | null;
  identifier_value: string | null;
  /** The client's own reference of the company; absent in mails that version 2.0 of the service queued. */
  reference?: string | null;
  /** The reason why the import failed: a code, and values for the placeholders in the message of this code. */
  failure: ({ code: 'unknown' | 'unanswered' | 'unreported' | 'unknown_company' } & Values) | null;
}

/** The data that `customer.settle_submissions` stores for the mail about a submission of companies to a watch list. */
interface ImportData {
  submitted_at: string;
  ready: Item[];
  failed: Item[];
  removed_count: number;
}

function describe({ identifier_type, identifier_value, company_ref, reference }: Item): string {
  const number = `${identifier_type ?? 'company_ref'} ${identifier_value ?? present(company_ref)}`;
  return withReference(number, reference);
}

export function writeImportLetter({ texts, baseUrl }: LetterOptions, data: ImportData): Letter {
  const { submitted_at, ready, failed, removed_count: removed } = data;
  const words = texts.import;
  const outcomes: string[] = [];
  const sections: Piece[] = [];
  if (ready.length > 0) {
    const count = ready.length;
    outcomes.push(words.ready({ count }));
    const companies = ready.map((item) => ({
      title: present(item.name) || texts.common.unnamedCompany(),
      note: describe(item),
      page: pageOf(baseUrl, item.company_ref),
      lines: [],
    }));
    sections.push({ heading: words.readyHeading({ count }) }, ...companies);
    sections.push({ text: words.readyHint() });
    sections.push({ link: `${baseUrl}/console#events`, label: words.events() });
  }
  if (failed.length > 0) {
    const count = failed.length;
    outcomes.push(words.failed({ count }));
    const numbers = failed.map((item) => ({
      title: describe(item),
      note: words[item.failure!.code](item.failure!),
      lines: [],
    }));
    sections.push({ heading: words.failedHeading({ count }) }, ...numbers);
    sections.push({ text: words.failedHint() });
  }
  const count = ready.length + failed.length + removed;
  return {
    subject: words.subject({ outcomes: outcomes.join(', ') }),
    pieces: [{ text: words.intro({ at: new Date(submitted_at), count, removed }) }, ...sections],
  };
}
