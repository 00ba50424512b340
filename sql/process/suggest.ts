/** Returns the sequences of three characters in a word that has blanks added before and after it. */
function gramsOf(text: string): Set<string> {
  const padded = `  ${text} `;
  return new Set(Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)));
}

/**
 * Returns the `count` words of a list that are most similar to a given word, the most similar first. The similarity is
 * the number of common sequences of three characters, then their share of all sequences of the word. As a result, a
 * shortened form of a long word is nearer to the long word than to another short word.
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
