/** The values of an event before and after: dates are in words, null is no value. */
export interface Values {
  before: string | null;
  after: string | null;
}

export type EventText = (values: Values) => string;

export function capitalize(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

/** A sentence that is followed by the one value that was added, removed or assigned. */
export function named(sentence: string): EventText {
  return ({ before, after }) => {
    const value = after ?? before;
    return value === null ? sentence : `${sentence}: ${value}`;
  };
}

/** A sentence that is followed by the old value and the new one. */
export function changed(sentence: string): EventText {
  return ({ before, after }) =>
    before === null && after === null
      ? sentence
      : `${sentence}: ${before ?? '—'} → ${after ?? '—'}`;
}

/** Writes numbers, days and moments as a language does. */
export function formatsOf(locale: string) {
  const day = (date: string) =>
    new Date(date).toLocaleDateString(locale, { dateStyle: 'long', timeZone: 'UTC' });
  return {
    number: (count: number) => count.toLocaleString(locale),
    /** @param date YYYY-MM-DD; returns such as `6 November 2026` */
    day,
    /** Returns such as `21 November 2026, 10:05 UTC`. */
    moment: (at: Date) => `${day(at.toISOString())}, ${at.toISOString().slice(11, 16)} UTC`,
  };
}
