import { sql } from 'kysely';
import { z } from 'zod';
import { pageSize, sizes } from '../figures/sizes.ts';
import { coded } from './errors.ts';

/** Returns the schema of a query field with a whole number from 1 to `highest`; `value` is the default. */
export function wholeNumber(highest: number, value: number) {
  const wrong = `must be a whole number from 1 to ${highest}.`;
  return z
    .string()
    .refine((text) => /^[1-9]\d{0,12}$/.test(text), coded('invalid_format', wrong))
    .transform(Number)
    .refine((number) => number <= highest, coded('out_of_range', wrong))
    .default(value)
    .meta({ type: 'integer', minimum: 1, maximum: highest, default: value });
}

export const pageField = wholeNumber(sizes.page, 1);

/** The fields of a request for a page; ../figures/sizes.ts has the bounds. Feeds have cursors: sql/feed-cursor.ts. */
export const pagingFields = {
  page: pageField,
  per_page: wholeNumber(sizes.perPage, pageSize),
};

export type Paging = Record<keyof typeof pagingFields, number>;

/** Returns the count of items on all pages before the requested page. */
export function skippedBy({ page, per_page }: Paging): number {
  return (page - 1) * per_page;
}

export const rowCount = sql<number>`count(*)::int`.as('total');

/** The fields with which the answer of a list describes the returned page. */
export const pageMetaFields = {
  total: z.int(),
  per_page: z.int(),
  current_page: z.int(),
  last_page: z.int(),
};

const otherPage = z.int().nullable();

/** The fields with the number of the next page and of the previous page; null: there is no such page. */
export const otherPagesFields = { next_page: otherPage, prev_page: otherPage };

export const pageMeta = z.strictObject(pageMetaFields).meta({ id: 'PageMeta' });

export function viewPageMeta({ page, per_page }: Paging, total: number) {
  // Spec: silent on the page count of an empty list; we answer one page.
  const last_page = Math.max(1, Math.ceil(total / per_page));
  return { total, per_page, current_page: page, last_page };
}

/** Returns the number of the next page and of the previous page. */
export function viewOtherPages({ current_page, last_page }: ReturnType<typeof viewPageMeta>) {
  // Spec: silent on a page after the last page; we return an empty page, and the last page as its `prev_page`.
  return {
    next_page: current_page < last_page ? current_page + 1 : null,
    prev_page: current_page > 1 ? Math.min(current_page - 1, last_page) : null,
  };
}
