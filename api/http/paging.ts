import { z } from 'zod';

/** So that whatever is skipped before a page is a number that every step can hold. */
const highestPage = 1_000_000_000_000;
/** Items of the largest page; also the limit in `sql/api/read_feed_page.sql`. */
export const highestPerPage = 100;

/** How many items a page has where nobody asks for another number. */
export const pageSize = 20;

function wholeNumber(field: string, highest: number, value: number) {
  const error = `The ${field} field must be a whole number from 1 to ${highest}.`;
  return z
    .string()
    .regex(/^[1-9]\d{0,12}$/, { error })
    .transform(Number)
    .refine((number) => number <= highest, { error })
    .default(value)
    .meta({ type: 'integer', minimum: 1, maximum: highest, default: value });
}

/** The number of a page in a query, from 1 on. */
export const pageField = wholeNumber('page', highestPage, 1);

/** How many items a page is to have. */
export const perPageField = wholeNumber('per_page', highestPerPage, pageSize);

/** Spec: silent on an empty list; it has one page. */
export function lastPageOf(total: number, per_page: number): number {
  return Math.max(1, Math.ceil(total / per_page));
}

/** Which page of a list is asked for. */
export interface Paging {
  page: number;
  per_page: number;
}

/** How many items are before a page. */
export function skippedBy({ page, per_page }: Paging): number {
  return (page - 1) * per_page;
}

/** What every list that pages says of its pages. */
export const pageMetaFields = {
  total: z.int(),
  per_page: z.int(),
  current_page: z.int(),
  last_page: z.int(),
};

export const pageMeta = z.strictObject(pageMetaFields).meta({ id: 'PageMeta' });
