import { runPrepared } from '../../sql/connection/prepared.ts';
import { readIdentifierTypes } from '../dictionaries/names.ts';
import { createBatch } from '../http/batch.ts';
import type { Context } from '../http/context.ts';
import type { Problem } from '../http/errors.ts';
import { keep } from '../http/cached-read.ts';
import { digitsOf, maxCharacters } from './identifier.ts';
import { type Pair, usualPair } from './company-of-request.ts';

/** Returns a text, or '' if the text has a non-printable or non-ASCII character, which PostgreSQL may refuse. */
export function printable(text: string): string {
  return /[^\x20-\x7e]/.test(text) ? '' : text;
}

/** Returns a function that checks the form and the check digit of each company number in a request. */
export function numberCheck({ readers }: Context, pairs = [usualPair]) {
  const readTypes = keep(() => readIdentifierTypes(readers.db));
  /** Returns whether a text is a valid number of an identifier type. */
  const isNumber = createBatch(async (checked: [type: string, value: string][]) => {
    const columns = [checked.map(([type]) => type), checked.map(([, text]) => printable(text))];
    const file = 'api/check_numbers.sql';
    const rows = await runPrepared<{ is_number: boolean }>(readers.db, file, columns);
    return rows.map(({ is_number }) => is_number);
  }, 2);

  async function checkOne(pair: Pair, given: Record<string, unknown>, within = '') {
    const [typeField, valueField] = [within + pair[0], within + pair[1]];
    const [type, submitted] = pair.map((field) => given[field]);
    if (typeof type !== 'string') return [];
    const types = await readTypes();
    const form = types.find(({ identifier_type }) => identifier_type === type)?.form;
    if (form === undefined) {
      const names = types.map(({ identifier_type }) => identifier_type).join(', ');
      const message = `The ${typeField} field must be one of ${names}.`;
      return [[typeField, message, 'unknown_value'] satisfies Problem];
    }
    const checks = [submitted].flat().map(async (value, at) => {
      // A value that is no text or too long is skipped here, since the schema of the field refuses the value.
      if (typeof value !== 'string' || value.length > maxCharacters) return [];
      if (await isNumber([type, digitsOf(value)])) return [];
      const field = Array.isArray(submitted) ? `${valueField}.${at}` : valueField;
      return [[field, `The ${field} field must be ${form}.`, 'invalid_number'] satisfies Problem];
    });
    return (await Promise.all(checks)).flat();
  }

  return async (given: { identifiers?: unknown }): Promise<Problem[]> => {
    const items: unknown[] = Array.isArray(given.identifiers) ? given.identifiers : [];
    const checks = [
      ...pairs.map((pair) => checkOne(pair, { ...given })),
      ...items.map((item, at) => checkOne(usualPair, { ...Object(item) }, `identifiers.${at}.`)),
    ];
    return (await Promise.all(checks)).flat();
  };
}
