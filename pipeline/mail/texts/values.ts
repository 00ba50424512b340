/** The values of an event before and after: dates are in words, null is no value. */
export interface Values {
  before: string | null;
  after: string | null;
}

/** Says in words what an event did. */
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
