/** The prices of a page of search results and of a snapshot, in whole credits. */
export const prices = { SEARCH_CREDITS: 1, SNAPSHOT_CREDITS: 5 };

export type Prices = typeof prices;

export const welcomeBonus = {
  credits: 200,
  /** The maximum number of welcome bonuses of a registered domain in 24 hours. */
  mostOfDomain: 20,
};
