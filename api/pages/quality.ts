import type { Request } from 'express';
import { z } from 'zod';
import { countChallenges } from '../quality/challenge-counts.ts';
import type { Context } from '../http/context.ts';
import { pagingFields, viewPageMeta } from '../http/paging.ts';
import { readNight, readNights } from '../quality/nights.ts';
import texts from './texts/en/quality.json' with { type: 'json' };

/** A page that is none is the first one. */
const paging = z.object({ page: pagingFields.page.catch(1), per_page: pagingFields.per_page });

/** `/quality`: the days that dumps were delivered for. */
export async function findNights({ db, now }: Pick<Context, 'db' | 'now'>, { query }: Request) {
  const asked = paging.parse({ page: query.page });
  const { nights, total } = await readNights(db, asked);
  const challenges = await countChallenges(db, now());
  return { nights, challenges, meta: viewPageMeta(asked, total) };
}

/** `/quality/<date>`; undefined where no dump was delivered for that day. */
export async function findNight({ db }: Pick<Context, 'db'>, { params }: Request) {
  const date = z.iso.date().safeParse(params.date).data;
  const registries = date === undefined ? [] : await readNight(db, date);
  if (registries.length === 0) return undefined;
  // A registry may name a field, or a release a guard, that has no text yet.
  return { date, registries, isSaid: (key: string) => key in texts };
}
