import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { domainToASCII, domainToUnicode } from 'node:url';
import { getDomain } from 'tldts-icann';
import { z } from 'zod';

// RFC 5321: the lengths of a local part and of an address.
const [localMaximum, addressMaximum] = [64, 254];

// A dot-atom of RFC 5322. Quoted and non-ASCII local parts are refused: many mail servers cannot send
// to them.
const localForm = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;

// Letters of any script; of ASCII no character that `domainToASCII` reads as the end of a host name or
// as an escape.
const domainForm = /^(?:[A-Za-z0-9.-]|[^\0-\x7f])+$/;

// The top level has only letters, or is of another script.
const asciiDomainForm =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])$/;

/**
 * A domain in lower case and in ASCII (IDNA).
 *
 * @returns undefined for a text that is not an Internet domain
 */
export function normalizeDomain(text: string): string | undefined {
  if (!domainForm.test(text)) return undefined;
  const ascii = domainToASCII(text);
  return asciiDomainForm.test(ascii) ? ascii : undefined;
}

function split(address: string): [local: string, domain: string] {
  const at = address.lastIndexOf('@');
  return [address.slice(0, Math.max(at, 0)), address.slice(at + 1)];
}

/**
 * An address with its domain as `normalizeDomain` gives it. The local part is unchanged.
 *
 * @returns undefined for a text that is not an Internet mail address
 */
export function normalizeAddress(text: string): string | undefined {
  const [local, domain] = split(text);
  if (text.length > addressMaximum || local.length > localMaximum) return undefined;
  if (!localForm.test(local)) return undefined;
  const ascii = normalizeDomain(domain);
  const address = `${local}@${ascii}`;
  return ascii !== undefined && address.length <= addressMaximum ? address : undefined;
}

export function domainOf(address: string): string {
  return split(address)[1];
}

// https://support.google.com/mail/answer/7436150 and https://proton.me/support/addresses-and-aliases
const dotless = ['gmail.com', 'googlemail.com', 'proton.me', 'protonmail.com', 'pm.me'];

/**
 * The mailbox behind an address: in lower case, without the tag after a plus, and without dots where
 * the provider ignores them.
 *
 * @param address as `normalizeAddress` gives it
 */
export function mailboxOf(address: string): string {
  const [local, domain] = split(address.toLowerCase());
  const untagged = local.replace(/(?<=.)\+.*$/, '');
  return `${dotless.includes(domain) ? untagged.replaceAll('.', '') : untagged}@${domain}`;
}

// Listed domains below which companies register their own domains.
const registries = ['msk.ru', 'pp.ua', 'spb.ru', 'za.com'];

// Free mail and aliases that the packages lack, free mail, then disposable mailboxes. Each list holds its
// domains in quotation marks, and is searched as it is: parsed, the lists take ten times the memory.
const lists = [
  './free-mail-domains.json',
  'free-email-domains-list/build/src/constants.js',
  'disposable-email-domains/index.json',
  'disposable-email-domains/wildcard.json',
  'disposable-email-domains-js/dist/dict/disposable_email_blocklist.json',
].map((path) => readFileSync(new URL(import.meta.resolve(path))));

function isListed(domain: string): boolean {
  // A list may hold an international domain in either form.
  const forms = new Set([domain, domainToUnicode(domain)]);
  return [...forms].some((form) => lists.some((list) => list.includes(`"${form}"`)));
}

/** The registered part of a domain, such as `firma.pl` of `poczta.firma.pl`. */
export function registeredDomainOf(domain: string): string {
  return getDomain(domain) ?? domain;
}

/**
 * Whether a domain, or a parent of it up to the registered one, offers free or disposable mailboxes.
 *
 * @param domain as `normalizeDomain` gives it
 * @param further domains that are refused too
 */
export function isRefusedDomain(domain: string, further: readonly string[] = []): boolean {
  const registered = registeredDomainOf(domain);
  for (let name = domain; ; name = name.slice(name.indexOf('.') + 1)) {
    const isRefused = isListed(name) || further.includes(name);
    if (isRefused && (name === domain || !registries.includes(name))) return true;
    if (name === registered) return false;
  }
}

/** An e-mail address, normalized. */
export const addressField = z
  .string()
  .transform((text, context) => {
    const address = normalizeAddress(text);
    if (address !== undefined) return address;
    const message = 'The email field must be a valid e-mail address.';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .meta({ format: 'email', maxLength: addressMaximum });

/**
 * The address of a new account, not of a disposable or free mailbox.
 *
 * @param furtherDomains that are refused too, as `normalizeDomain` gives them
 */
export function accountAddressField(furtherDomains: readonly string[]) {
  return addressField.refine((address) => !isRefusedDomain(domainOf(address), furtherDomains), {
    error: 'The email field must not be an address of a disposable or free mailbox.',
  });
}

/**
 * The mailbox and the domain that a welcome bonus is counted for. `ended`: hashes of them, which stay of
 * an account that has ended, and keep its mailbox from a second bonus.
 */
export function bonusKeysOf(secretKey: string, email: string) {
  const mailbox = mailboxOf(email);
  const domain = registeredDomainOf(domainOf(mailbox));
  const hashOf = (part: string) =>
    `hmac:${createHmac('sha256', secretKey).update(`welcome ${part}`).digest('hex')}`;
  return { mailbox, domain, ended: { mailbox: hashOf(mailbox), domain: hashOf(domain) } };
}
