import { sql } from 'kysely';
import type { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { invalid, type Problem } from '../http/errors.ts';
import { identifierValue } from './identifier.ts';
import { printable } from './number-check.ts';

/** The query fields of a search by number: lower-case identifier types without digits (`REGON9` → `regon`). */
export const numberFields = {
  nip: identifierValue.optional(),
  regon: identifierValue.optional(),
  krs: identifierValue.optional(),
  siren: identifierValue.optional(),
};

type Asked = { [Field in keyof typeof numberFields]: z.output<(typeof numberFields)[Field]> };

type NumberRow = { field: string; form: string; is_number: boolean; company_id: number | null };

/**
 * Returns the id of the company that has or had all numbers of a search; null if there is no such company. Returns
 * undefined if the search has no numbers. Throws a 422 for a number with a wrong form or check digit.
 */
export async function findByNumbers(db: Db, asked: Asked): Promise<number | null | undefined> {
  const given = Object.entries(asked).filter(([, value]) => value !== undefined);
  if (given.length === 0) return undefined;
  const fields = given.map(([field]) => field);
  const values = given.map(([, value]) => printable(value!));
  const { rows } = await sql<NumberRow>`
    select field, form, is_number,
      case
        when is_number then registry.find_company(identifier_type, value)
      end::float8 as company_id
    from unnest(${fields}::text[], ${values}::text[]) as asked (field, value)
    join registry.identifier_type
      on registry.lower(rtrim(identifier_type, '0123456789')) = field
    cross join lateral (select registry.is_number(identifier_type, value) as is_number) as checked
  `.execute(db);
  const problems = rows
    .filter(({ is_number }) => !is_number)
    .map(({ field, form }): Problem => {
      return [field, `The ${field} field must be ${form}.`, 'invalid_number'];
    });
  if (problems.length > 0) throw invalid(problems);
  const [id, ...others] = new Set(rows.map(({ company_id }) => company_id));
  return others.length === 0 ? id : null;
}
