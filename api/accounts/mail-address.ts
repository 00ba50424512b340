import { createRequire } from 'node:module';
import { domainToASCII } from 'node:url';
import { z } from 'zod';

const require = createRequire(import.meta.url);

// RFC 5321: the lengths of a local part and of what stands between the brackets of a path.
const [localMaximum, addressMaximum] = [64, 254];

// A dot-atom of RFC 5322. Quoted local parts and those beyond ASCII are refused: much of the world's
// mail cannot be sent to them.
const localForm = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;

// The letters of a domain may be of any script; of ASCII it has only these, so that what `url` takes
// for the end of a host name, or for an escape, is none.
const domainForm = /^(?:[A-Za-z0-9.-]|[^\0-\x7f])+$/;

// The top level is of letters, or of another script.
const asciiDomainForm =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])$/;

/**
 * The one spelling of an address: its domain in lower case and in ASCII (IDNA). The local part stays
 * as it is written.
 *
 * @returns undefined when it is no address that mail can be sent to over the Internet
 */
export function normalizeAddress(text: string): string | undefined {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (text.length > addressMaximum || local.length > localMaximum) return undefined;
  if (!localForm.test(local) || !domainForm.test(domain)) return undefined;
  const ascii = domainToASCII(domain);
  const address = `${local}@${ascii}`;
  return asciiDomainForm.test(ascii) && address.length <= addressMaximum ? address : undefined;
}

// Free mail of Poland and of the world that the lists lack.
const furtherProviders = [
  'go2.pl',
  'hotmail.pl',
  'int.pl',
  'onet.eu',
  'op.pl',
  'pm.me',
  'tlen.pl',
  'tuta.com',
  'tuta.io',
  'tutamail.com',
  'tutanota.com',
  'tutanota.de',
  'vp.pl',
  'yahoo.pl',
];

// The lists hold these too, but below them anybody registers a domain, such as a school of Poland.
const registries = new Set([
  'com.ar',
  'edu.pl',
  'msk.ru',
  'net.ua',
  'nom.za',
  'org.ua',
  'spb.ru',
  'za.com',
  'zp.ua',
]);

const refusedDomains = new Set(
  [
    ...(require('email-providers/all.json') as string[]),
    ...(require('disposable-email-domains') as string[]),
    ...(require('disposable-email-domains/wildcard.json') as string[]),
    ...furtherProviders,
  ]
    .map((domain) => (/^[a-z0-9.-]+$/.test(domain) ? domain : domainToASCII(domain)))
    // One entry is an address: as a domain it is the empty text.
    .filter((domain) => domain !== ''),
);

/**
 * Whether anybody can have such an address at once: its domain, or one above it, gives away mailboxes
 * (free-mail) or lets them vanish (disposable).
 *
 * @param address as `normalizeAddress` gives it
 */
export function isRefusedAddress(address: string): boolean {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  if (refusedDomains.has(domain)) return true;
  const labels = domain.split('.');
  return labels
    .map((_label, at) => labels.slice(at + 1).join('.'))
    .some((parent) => refusedDomains.has(parent) && !registries.has(parent));
}

const notAnAddress = 'The email field must be a valid e-mail address.';

/** An e-mail address in its one spelling. */
export const addressField = z
  .string()
  .transform((text, context) => {
    const address = normalizeAddress(text);
    if (address !== undefined) return address;
    context.addIssue({ code: 'custom', message: notAnAddress });
    return z.NEVER;
  })
  .meta({ format: 'email', maxLength: addressMaximum });

/** The address of a new account: no disposable and no free-mail one. */
export const accountAddressField = addressField.refine((address) => !isRefusedAddress(address), {
  error: 'The email field must not be an address of a disposable or free mailbox.',
});
