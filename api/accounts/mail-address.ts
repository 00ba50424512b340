import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { domainToASCII, domainToUnicode } from 'node:url';
import { getDomain } from 'tldts-icann';
import { z } from 'zod';
import type { Context } from '../http/context.ts';
import { coded, type Problem } from '../http/errors.ts';

// The most characters of a local part and of a mail address, by RFC 5321.
const [localMaximum, addressMaximum] = [64, 254];

// The form of the local part of a mail address: a dot-atom of RFC 5322. Quoted and non-ASCII local parts are
// refused, since many mail servers cannot send to them.
const localForm = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;

// The form of a domain before IDNA: letters of any script, ASCII letters, digits, dots and hyphens. Other ASCII
// characters are refused: `domainToASCII` reads some as the end of a host name or as an escape.
const domainForm = /^(?:[A-Za-z0-9.-]|[^\0-\x7f])+$/;

// The form of a domain after IDNA. Its top level has only letters, or is the ASCII form of another script.
const asciiDomainForm =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])$/;

/** Returns a domain in lower case and in ASCII (IDNA); undefined for a text that is no Internet domain. */
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
 * Returns a mail address with its domain in lower-case ASCII and its local part unchanged; undefined for a text
 * that is no Internet mail address.
 */
export function normalizeAddress(text: string): string | undefined {
  const [local, domain] = split(text);
  if (text.length > addressMaximum || local.length > localMaximum) return undefined;
  if (!localForm.test(local)) return undefined;
  const ascii = normalizeDomain(domain);
  const address = `${local}@${ascii}`;
  return ascii !== undefined && address.length <= addressMaximum ? address : undefined;
}

// Mail providers that ignore dots in a local part: https://support.google.com/mail/answer/7436150 and
// https://proton.me/support/addresses-and-aliases
const dotless = ['gmail.com', 'googlemail.com', 'proton.me', 'protonmail.com', 'pm.me'];

/**
 * Returns the mailbox of a normalized mail address, in lower case and without the tag after a plus. Dots are
 * dropped too where the mail provider ignores them.
 */
export function mailboxOf(address: string): string {
  const [local, domain] = split(address.toLowerCase());
  const untagged = local.replace(/(?<=.)\+.*$/, '');
  return `${dotless.includes(domain) ? untagged.replaceAll('.', '') : untagged}@${domain}`;
}

// Domains on the lists of free mail below which companies register their own domains.
const registries = ['msk.ru', 'pp.ua', 'spb.ru', 'za.com'];

// Lists of domains: free mail and aliases that the packages lack, free mail of a package, disposable mailboxes.
// The bytes of a list are searched for a domain in quotation marks: parsed lists take ten times the memory.
const lists = [
  './free-mail-domains.json',
  'free-email-domains-list/build/src/constants.js',
  'disposable-email-domains/index.json',
  'disposable-email-domains/wildcard.json',
  'disposable-email-domains-js/dist/dict/disposable_email_blocklist.json',
].map((path) => readFileSync(new URL(import.meta.resolve(path))));

function isListed(domain: string): boolean {
  // A list may hold an international domain in ASCII or in Unicode.
  const forms = new Set([domain, domainToUnicode(domain)]);
  return [...forms].some((form) => lists.some((list) => list.includes(`"${form}"`)));
}

/** Checks whether a domain, or a parent up to the registered domain, offers free or disposable mailboxes. */
export function isRefusedDomain(domain: string, further: readonly string[] = []): boolean {
  const registered = getDomain(domain) ?? domain;
  for (let name = domain; ; name = name.slice(name.indexOf('.') + 1)) {
    const isRefused = isListed(name) || further.includes(name);
    if (isRefused && (name === domain || !registries.includes(name))) return true;
    if (name === registered) return false;
  }
}

/** A field for an e-mail address, which `normalizeAddress` normalizes. */
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

/** Returns a check of the address of a new account, which refuses disposable and free mailboxes. */
export function findRefusedAddress({ FREE_MAIL_DOMAINS }: Context) {
  return ({ email }: { email?: unknown }): Promise<Problem[]> => {
    const address = typeof email === 'string' ? normalizeAddress(email) : undefined;
    const isRefused = address && isRefusedDomain(split(address)[1], FREE_MAIL_DOMAINS);
    const message = 'The email field must not be an address of a disposable or free mailbox.';
    return Promise.resolve(isRefused ? [['email', message, 'refused_domain']] : []);
  };
}

/**
 * Returns the mailbox and the domain for which a welcome bonus is counted. `ended` holds the hashes of both, which
 * outlive an account and keep its mailbox from a second bonus.
 */
export function bonusKeysOf(secretKey: string, email: string) {
  const mailbox = mailboxOf(email);
  const [, host] = split(mailbox);
  const domain = getDomain(host) ?? host;
  const hashOf = (part: string) =>
    `hmac:${createHmac('sha256', secretKey).update(`welcome ${part}`).digest('hex')}`;
  return { mailbox, domain, ended: { mailbox: hashOf(mailbox), domain: hashOf(domain) } };
}
