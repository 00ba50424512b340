// Returns the labels of the axes in the charts of `/stats`, and formats days and counts.
export const day_s = 86_400;
// The server formats the numbers of the page with the same locales, from `sql/words/message-format.ts`.
const language = { en: 'en-GB', pl: 'pl-PL' }[document.documentElement.lang];

/** Returns a day in the format of the tables: 2026-11-06, or 2026-11 for a month. */
export const dateOf = (time, by) =>
  new Date(time * 1000).toISOString().slice(0, by === 'month' ? 7 : 10);

export const format = (count) => ((count ?? null) === null ? '–' : count.toLocaleString(language));

/** Returns the first day of the month that is `months` months after a time; times are seconds since 1970. */
function monthAfter(time, months) {
  const date = new Date(time * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months) / 1000;
}

/** Returns a function that returns the days to label, at a distance of `days` days. */
const everyDays = (days) => (first, last) => {
  const ticks = [];
  for (let time = first; time <= last; time += days * day_s) ticks.push(time);
  return ticks;
};

/** Returns a function that returns the first days of months to label, at a distance of `months` months. */
const everyMonths = (months) => (first, last) => {
  const ticks = [];
  let time = monthAfter(first - 1, 1);
  for (; time <= last; time = monthAfter(time, months)) ticks.push(time);
  return ticks;
};

const steps = {
  day: [1, 2, 7, 14, 28].map(everyDays),
  month: [1, 2, 3, 6, 12, 24, 60, 120].map(everyMonths),
};

/** Returns the times to label, in seconds since 1970: at most `most` days or first days of months. */
export function labelTimes(times, by, most) {
  const [first, last] = [times[0], times.at(-1)];
  for (const list of by === 'month' ? [steps.month] : [steps.day, steps.month]) {
    const found = list.map((step) => step(first, last)).find((ticks) => ticks.length <= most);
    if (found && found.length > 1) return found;
  }
  return [first];
}

const compact = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 3 });

/** Returns the labels of an axis of counts; a fraction has an empty label, since counts are whole. */
export const labelCounts = (ticks) => ticks.map((tick) => (tick % 1 ? '' : compact.format(tick)));
