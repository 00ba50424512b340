import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { domainToUnicode } from 'node:url';
import { getDomain } from 'tldts-icann';

const require = createRequire(import.meta.url);

// Listed domains below which companies register their own domains.
const registries = new Set(['msk.ru', 'pp.ua', 'spb.ru', 'za.com']);

// Free mail and aliases that the packages lack, free mail, then disposable mailboxes. Each list holds its
// domains in quotation marks, and is searched as it is: parsed, the lists take ten times the memory.
const lists = [
  './free-mail-domains.json',
  'free-email-domains-list/build/src/constants.js',
  'disposable-email-domains/index.json',
  'disposable-email-domains/wildcard.json',
  'disposable-email-domains-js/dist/dict/disposable_email_blocklist.json',
].map((path) => readFileSync(require.resolve(path)));

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
export function isRefusedDomain(domain: string, further: ReadonlySet<string> = new Set()): boolean {
  const registered = registeredDomainOf(domain);
  for (let name = domain; ; name = name.slice(name.indexOf('.') + 1)) {
    const isRefused = isListed(name) || further.has(name);
    if (isRefused && (name === domain || !registries.has(name))) return true;
    if (name === registered) return false;
  }
}
