/** The prices in credits: of one page of search results, and of one company's snapshot. */
export const prices = { SEARCH_CREDITS: 1, SNAPSHOT_CREDITS: 5 };

export type Prices = typeof prices;

export const welcomeBonus = {
  credits: 200,
  /** The maximum number of welcome bonuses in 24 hours for accounts with mail addresses at one domain. */
  mostOfDomain: 20,
};
