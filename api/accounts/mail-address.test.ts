import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mailboxOf, normalizeAddress } from './mail-address.ts';

describe('normalizeAddress', () => {
  test.each([
    ['anna@firma.pl', 'anna@firma.pl'],
    ['Anna.Nowak+tag@FIRMA.PL', 'Anna.Nowak+tag@firma.pl'],
    ["o'neil!#$%&*/=?^_`{|}~-@a-b.firma.pl", "o'neil!#$%&*/=?^_`{|}~-@a-b.firma.pl"],
    ['anna@żółw.pl', 'anna@xn--w-uga1v8h.pl'],
    ['anna@xn--w-uga1v8h.pl', 'anna@xn--w-uga1v8h.pl'],
    ['anna@ｆｉｒｍａ.pl', 'anna@firma.pl'],
    ['anna@firma。pl', 'anna@firma.pl'],
    ['anna@firma.рф', 'anna@firma.xn--p1ai'],
    [`${'a'.repeat(64)}@firma.pl`, `${'a'.repeat(64)}@firma.pl`],
  ])('takes %s', (text, address) => {
    expect(normalizeAddress(text)).toBe(address);
  });

  test.each([
    '',
    'anna',
    '@firma.pl',
    'anna@localhost',
    'anna@firma.pl.',
    'anna@firma..pl',
    'anna@-firma.pl',
    'anna@firma-.pl',
    'anna@fir_ma.pl',
    'anna@firma.p1',
    'anna@127.0.0.1',
    'anna@0x7f.1',
    'anna@[::1]',
    'anna@firma.pl:25',
    'anna@firma.pl/x',
    'anna@gmail%2ecom',
    '.anna@firma.pl',
    'an..na@firma.pl',
    ' anna@firma.pl',
    'anna@firma.pl\n',
    'anna@firma.pl\r\nBcc: x@firma.pl',
    'anna\0@firma.pl',
    '"anna"@firma.pl',
    'Anna <anna@firma.pl>',
    'anna@firma.pl,x@firma.pl',
    'anna@x@firma.pl',
    'änna@firma.pl',
    `${'a'.repeat(65)}@firma.pl`,
    `anna@${'a'.repeat(64)}.pl`,
    `anna@${'a.'.repeat(130)}pl`,
    `anna@${'ł'.repeat(60)}.${'ł'.repeat(60)}.${'ł'.repeat(60)}.${'ł'.repeat(60)}.pl`,
  ])('refuses %j', (text) => {
    expect(normalizeAddress(text)).toBeUndefined();
  });

  test('gives one line of ASCII, whatever comes, and stays as it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.emailAddress(), fc.string({ unit: 'binary' })), (text) => {
        const address = normalizeAddress(text);
        if (address === undefined) return;
        expect(address).toMatch(/^[!-~]{3,254}$/);
        expect(normalizeAddress(address)).toBe(address);
      }),
    );
  });
});

test.each([
  ['Anna.Nowak+news@firma.pl', 'anna.nowak@firma.pl'],
  ['anna+a+b@firma.pl', 'anna@firma.pl'],
  ['+anna@firma.pl', '+anna@firma.pl'],
  ['an.na@firma.pl', 'an.na@firma.pl'],
  ['a.n.n.a+x@gmail.com', 'anna@gmail.com'],
])('the mailbox of %s is %s', (address, mailbox) => {
  expect(mailboxOf(address)).toBe(mailbox);
});
