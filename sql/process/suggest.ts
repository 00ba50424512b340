/** The sequences of three characters of a word, also across its ends. */
function gramsOf(text: string): Set<string> {
  const padded = `  ${text} `;
  return new Set(Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)));
}

/**
 * The words of a list that look most like a given one, the likest first, at most `count` of them:
 * by the sequences of three characters that both have and, of as many, by their share: what a long word
 * was shortened to is nearer to it than to another short one.
 */
export function findNear(given: string, words: readonly string[], count: number): string[] {
  const wanted = gramsOf(given);
  return words
    .map((word) => {
      const grams = gramsOf(word);
      const shared = [...grams].filter((gram) => wanted.has(gram)).length;
      return { word, shared, share: shared / (wanted.size + grams.size - shared) };
    })
    .filter(({ shared }) => shared > 0)
    .toSorted((one, other) => other.shared - one.shared || other.share - one.share)
    .slice(0, count)
    .map(({ word }) => word);
}
