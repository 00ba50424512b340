import type { Request } from 'express';
import { z } from 'zod';
import type { Context } from '../http/context.ts';
import { dateField } from '../http/field.ts';
import { pagingFields } from '../http/paging.ts';
import { readNight, readNights } from '../quality/nights.ts';
import texts from './texts/en/quality.json' with { type: 'json' };

/** A page that is none is the first one. */
const paging = z.object({ page: pagingFields.page.catch(1), per_page: pagingFields.per_page });

/** `/quality`: the days that dumps were delivered for. */
export function findNights(
  { readers: { db }, now }: Pick<Context, 'readers' | 'now'>,
  { query }: Request,
) {
  return readNights(db, now(), paging.parse({ page: query.page }));
}

/** `/quality/<date>`; undefined where no dump was delivered for that day. */
export async function findNight(
  { readers: { db } }: Pick<Context, 'readers'>,
  { params }: Request,
) {
  const date = dateField('date').safeParse(params.date).data;
  const registries = date === undefined ? [] : await readNight(db, date);
  if (registries.length === 0) return undefined;
  // A registry may name a field, or a newer release a guard or a reason, that has no text yet.
  return { date, registries, isSaid: (key: string) => key in texts };
}
