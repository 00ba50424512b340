/** The number of characters that are searched for shares: a longer text holds more than a count and a value. */
const TEXT_LENGTH = 1000;

/**
 * The pattern of figures such as 50, 5.000,00 and 4 500. At most ten digits follow each other, so no PESEL matches.
 */
const figure = String.raw`(?<![\d.,/])(?:\d{1,3}(?:[ .]\d{3}){1,4}|\d{1,10})(?:,\d{1,4})?(?![\d/])`;
const count = new RegExp(
  String.raw`(\d{1,6}/\d{1,6}|${figure})\s+(?:\([^)]*\)\s*)?(?:\p{L}+\s+)?(UDZIA[ŁL]\p{L}{0,4})(?!\p{L})`,
  'iu',
);
const countAfter = new RegExp(String.raw`UDZIA[ŁL]\p{L}{0,4}\s*[:–-]?\s*(${figure})`, 'iu');
const sum = new RegExp(
  String.raw`${figure}(?:\s*(?:ZŁ(?:OTYCH|OTE|OTY)?|PLN|EUR|USD)(?!\p{L}))?`,
  'giu',
);

/**
 * Returns the count and the value of the shares that a text states, such as `50 UDZIAŁÓW O ŁĄCZNEJ WARTOŚCI 2.500,00
 * ZŁ`. Returns undefined for a text without both. The rest of the text is dropped: it may name other persons.
 */
export function readHolding(text: string): string | undefined {
  const told = text.slice(0, TEXT_LENGTH);
  const [, shares = countAfter.exec(told)?.[1], word = 'UDZIAŁÓW'] = count.exec(told) ?? [];
  const sums = [...told.matchAll(sum)].flatMap(({ 0: written, index }) => {
    const before = told.slice(0, index);
    const isTotal = /ŁĄCZN\P{Nd}*$/iu.test(before);
    const isSum = /\p{L}$/u.test(written) || /(?:WARTOŚ|WYSOKOŚ)CI\P{Nd}*$/iu.test(before);
    return isSum ? [{ written, isTotal }] : [];
  });
  const value = sums.find(({ isTotal }) => isTotal) ?? sums[0];
  const parts = [
    shares && `${shares} ${word}`,
    value && `O ${value.isTotal ? 'ŁĄCZNEJ ' : ''}WARTOŚCI ${value.written}`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(' ') : undefined;
}
