/** The lengths of a second, a minute, an hour and a day in ms. */
export const [second_ms, minute_ms, hour_ms, day_ms] = [1_000, 60_000, 3_600_000, 86_400_000];
