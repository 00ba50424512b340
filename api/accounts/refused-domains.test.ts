import { describe, expect, test } from 'vitest';
import { normalizeAddress } from './mail-address.ts';
import { isRefusedDomain } from './refused-domains.ts';

const at = (domain: string) => `anna@${domain}`;

describe('isRefusedDomain', () => {
  test.each([
    ...['konto.pl', 'eranet.pl', 'orange.pl', 'plusnet.pl', 'upcpoczta.pl', 'czateria.pl'].map(at),
    ...['akcja.pl', '1gai.com', 'internxt.me', 'mailbox.org', 'kolabnow.com'].map(at),
    'anna@gmail.com',
    'anna@GMAIL.com',
    'anna@ｇmail.com',
    'anna@gmail。com',
    'anna@gm\u00adail.com',
    'anna@mail.gmail.com',
    'anna@poczta.onet.pl',
    'anna@outlook.com',
    'anna@mailinator.com',
    'anna@a.b.c.mailinator.com',
    'anna@x.33mail.com',
    // When a list of refused domains contains a domain with non-ASCII letters, the domain's ASCII form (`xn--…`) is
    // refused, too.
    'anna@müllmail.com',
    'anna@xn--mllmail-n2a.com',
    'anna@gmaıl.net',
    'anna@edu.pl',
    'anna@interia.eu',
    'anna@interiowy.pl',
    'anna@onet.com.pl',
    'anna@fastmail.com',
    'anna@mail.tm',
    'anna@neostrada.pl',
    'anna@punkproof.com',
  ])('refuses %s', (text) => {
    expect(isRefusedDomain(normalizeAddress(text)!.split('@')[1]!)).toBe(true);
  });

  test.each([
    'anna@firma.pl',
    ...['konto.com.pl', 'orangefirma.pl'].map(at),
    'gmail.com@firma.pl',
    'anna@notgmail.com',
    'anna@gmail.com.firma.pl',
    'anna@gmail.com.pl',
    'anna@szkola.edu.pl',
    'anna@estudio.com.ar',
    'anna@estudio.za.com',
    'anna@company.example',
  ])('takes %s', (text) => {
    expect(isRefusedDomain(normalizeAddress(text)!.split('@')[1]!)).toBe(false);
  });

  test('refuses the domains of the setting, and those below them', () => {
    const further = ['poczta.example'];
    expect(isRefusedDomain('poczta.example', further)).toBe(true);
    expect(isRefusedDomain('a.poczta.example', further)).toBe(true);
    expect(isRefusedDomain('innapoczta.example', further)).toBe(false);
  });
});
