import { expect, test } from 'vitest';
import { tidy } from './tidy.ts';

test.each([
  '-',
  '---',
  ' - ',
  '‑‑‑',
  '—',
  '–-−',
  '\u00ad',
  '&#8209;&#x2011;',
  '&amp;#8209;',
  '&mdash;',
])('%j says nothing', (text) => {
  expect(tidy(text)).toBe('');
});

test.each([
  [' P.H.U.\u00a0 "ŻUK" ', 'P.H.U. "ŻUK"'],
  ['Młyn-Bud', 'Młyn-Bud'],
  ['7-', '7-'],
  ['A &amp;amp; B', 'A & B'],
  ['&quot;Żuk&quot;&nbsp;s.c.', '"Żuk" s.c.'],
  // `tidy` leaves escapes such as `&copy;` unchanged, because no registry escapes characters in this form.
  ['P&P; R&D &#0; &#xD800; &#9999999; &copy;', 'P&P; R&D &#0; &#xD800; &#9999999; &copy;'],
])('%j means %j', (text, meaning) => {
  expect(tidy(text)).toBe(meaning);
});
