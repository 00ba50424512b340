import { readFileSync } from 'node:fs';
import { domainToUnicode } from 'node:url';
import { getDomain } from 'tldts-icann';
import type { Context } from '../http/context.ts';
import type { Problem } from '../http/errors.ts';
import { normalizeAddress, splitAddress } from './mail-address.ts';

// Addresses at these domains (`a@pp.ua`) are refused as free mail, but not addresses at subdomains (`a@x.pp.ua`).
const registries = ['msk.ru', 'pp.ua', 'spb.ru', 'za.com'];

// The lists of refused domains, which offer free or disposable mail: first our own list, then lists of npm packages. A
// domain is searched, in quotes, in the bytes of the lists, since parsed lists would take ten times the memory.
const lists = [
  './further-free-mail-domains.json',
  'free-email-domains-list/build/src/constants.js',
  'disposable-email-domains/index.json',
  'disposable-email-domains/wildcard.json',
  'disposable-email-domains-js/dist/dict/disposable_email_blocklist.json',
].map((path) => readFileSync(new URL(import.meta.resolve(path))));

function isListed(domain: string): boolean {
  // A list may contain a non-ASCII domain in its ASCII form (`xn--…`) or in Unicode, so both forms are searched.
  const forms = new Set([domain, domainToUnicode(domain)]);
  return [...forms].some((form) => lists.some((list) => list.includes(`"${form}"`)));
}

/** Returns whether free mail is offered at a domain (`a.x.pl`) or a parent up to the registered domain (`x.pl`). */
export function isRefusedDomain(domain: string, further: readonly string[] = []): boolean {
  const registered = getDomain(domain) ?? domain;
  for (let name = domain; ; name = name.slice(name.indexOf('.') + 1)) {
    const isRefused = isListed(name) || further.includes(name);
    if (isRefused && (name === domain || !registries.includes(name))) return true;
    if (name === registered) return false;
  }
}

/** Returns the check of a registration, which reports a problem if the mail address is a free or disposable mailbox. */
export function findRefusedAddress({ FREE_MAIL_DOMAINS }: Context) {
  return ({ email }: { email?: unknown }): Promise<Problem[]> => {
    const address = typeof email === 'string' ? normalizeAddress(email) : undefined;
    const isRefused = address && isRefusedDomain(splitAddress(address)[1], FREE_MAIL_DOMAINS);
    const message = 'The email field must not be an address of a disposable or free mailbox.';
    return Promise.resolve(isRefused ? [['email', message, 'refused_domain']] : []);
  };
}
