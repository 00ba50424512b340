import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { coded } from '../http/errors.ts';

// RFC 5321 limits the local part of a mail address (before the `@`) to 64 characters, and the whole address to 254.
const [localMaximum, addressMaximum] = [64, 254];

// Matches the local part of a mail address, a dot-atom of RFC 5322. Addresses with a quoted or non-ASCII local part are
// refused, since many mail servers cannot send to such addresses.
const localForm = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;

// Matches a domain before its conversion to ASCII by IDNA: non-ASCII characters, ASCII letters, digits, dots, hyphens.
// A domain with another ASCII character is refused: `domainToASCII` would end the domain at `/` or decode `%`.
const domainForm = /^(?:[A-Za-z0-9.-]|[^\0-\x7f])+$/;

// Matches a domain after its conversion to ASCII. The top-level domain has only letters, or begins with `xn--`.
const asciiDomainForm =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])$/;

/** Returns a domain in lower-case ASCII (IDNA); undefined for a text that is no Internet domain. */
export function normalizeDomain(text: string): string | undefined {
  if (!domainForm.test(text)) return undefined;
  const ascii = domainToASCII(text);
  return asciiDomainForm.test(ascii) ? ascii : undefined;
}

/** Returns the local part and the domain of a mail address. */
export function splitAddress(address: string): [local: string, domain: string] {
  const at = address.lastIndexOf('@');
  return [address.slice(0, Math.max(at, 0)), address.slice(at + 1)];
}

/**
 * Returns a mail address with its domain in lower-case ASCII and its local part unchanged. Returns undefined for a text
 * that is no Internet mail address.
 */
export function normalizeAddress(text: string): string | undefined {
  const [local, domain] = splitAddress(text);
  if (text.length > addressMaximum || local.length > localMaximum) return undefined;
  if (!localForm.test(local)) return undefined;
  const ascii = normalizeDomain(domain);
  const address = `${local}@${ascii}`;
  return ascii !== undefined && address.length <= addressMaximum ? address : undefined;
}

// These mail providers ignore dots in a local part: https://support.google.com/mail/answer/7436150 and
// https://proton.me/support/addresses-and-aliases
const dotless = ['gmail.com', 'googlemail.com', 'proton.me', 'protonmail.com', 'pm.me'];

/**
 * Returns the mailbox that a mail address delivers to, in lower case and without a tag (`a+tag@x.pl` → `a@x.pl`). Dots
 * in the local part are removed if the mail provider ignores dots.
 */
export function mailboxOf(address: string): string {
  const [local, domain] = splitAddress(address.toLowerCase());
  const untagged = local.replace(/(?<=.)\+.*$/, '');
  return `${dotless.includes(domain) ? untagged.replaceAll('.', '') : untagged}@${domain}`;
}

/** Checks a request's field that contains an e-mail address, and normalizes it by `normalizeAddress`. */
export const addressField = z
  .string()
  .transform((text, context) => {
    const address = normalizeAddress(text);
    if (address !== undefined) return address;
    const rule = coded('invalid_format', 'must be a valid e-mail address.');
    context.addIssue({ code: 'custom', ...rule });
    return z.NEVER;
  })
  .meta({ format: 'email', maxLength: addressMaximum });
