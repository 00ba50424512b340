/**
 * The kinds of change and the share of all entries that each of them touches a day. Together they
 * are about half a percent; in the real report 13,000 of 3.56 million change (0.36 %). Entries are
 * chosen in this order: kinds that suit few entries come first.
 */
export const defaultShares = {
  back: 0.000_01,
  closing_withdrawn: 0.000_01,
  closing_moved: 0.000_01,
  nip_assigned: 0.000_01,
  regon_assigned: 0.000_01,
  nip_changed: 0.000_01,
  nip_revoked: 0.000_01,
  regon_changed: 0.000_01,
  regon_revoked: 0.000_01,
  website_changed: 0.000_06,
  website_removed: 0.000_04,
  phone_added: 0.000_15,
  phone_changed: 0.000_18,
  phone_removed: 0.000_05,
  email_added: 0.000_15,
  email_changed: 0.000_15,
  email_removed: 0.000_05,
  website_added: 0.000_08,
  address_added: 0.000_08,
  address_removed: 0.000_06,
  address_changed: 0.000_45,
  moved: 0.000_08,
  reclassified_partly: 0.000_1,
  reclassified: 0.001_4,
  main_swapped: 0.000_08,
  main_replaced: 0.000_06,
  activity_added: 0.000_2,
  activity_removed: 0.000_1,
  suspended: 0.000_25,
  resumed: 0.000_15,
  closing_set: 0.000_08,
  start_date: 0.000_03,
  name: 0.000_2,
  owner: 0.000_1,
  county: 0.000_08,
  whitespace: 0.000_08,
  gone: 0.000_15,
  new: 0.000_3,
  new_shared: 0.000_01,
};

export type ChangeKind = keyof typeof defaultShares;

export const changeKinds = Object.keys(defaultShares) as ChangeKind[];

/**
 * The share of each kind: `shares` replace defaults, and `changes`, where it is given, is the sum that
 * all shares are scaled to. Throws a RangeError where one is no share.
 */
export function scaleShares(
  shares: Partial<Record<ChangeKind, number>> = {},
  changes?: number,
): Record<ChangeKind, number> {
  const chosen = { ...defaultShares, ...shares };
  for (const [kind, share] of Object.entries(chosen)) {
    if (!(kind in defaultShares)) throw new RangeError(`unknown kind of change: ${kind}`);
    if (!(share >= 0 && share <= 1)) throw new RangeError(`share of ${kind} is not from 0 to 1`);
  }
  const sum = Object.values(chosen).reduce((total, share) => total + share, 0);
  if (changes === undefined || sum === 0) return chosen;
  if (!(changes >= 0 && changes <= 0.5)) throw new RangeError('changes must be from 0 to 0.5');
  for (const kind of changeKinds) chosen[kind] *= changes / sum;
  return chosen;
}

/** How many entries of a country one kind touches a day: at least one, unless it is switched off. */
export function countOf(share: number, entries: number): number {
  return share === 0 ? 0 : Math.max(1, Math.round(share * entries));
}
