/** The prices in credits of a page of search results and of a company's snapshot. */
export const prices = { SEARCH_CREDITS: 1, SNAPSHOT_CREDITS: 5 };

export type Prices = typeof prices;

export const welcomeBonus = {
  credits: 200,
  /** The maximum number of welcome bonuses in 24 hours for accounts of one mail domain. */
  mostOfDomain: 20,
};
