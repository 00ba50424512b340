import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { domainToASCII } from 'node:url';
import { getDomain } from 'tldts-icann';

const require = createRequire(import.meta.url);

// Free mail and aliases that are not in the packages below.
const furtherDomains = [
  'addy.io',
  'adresik.net',
  'aleeas.com',
  'buziaczek.pl',
  'disroot.org',
  'gmx.pl',
  'hotmail.pl',
  'ii.pl',
  'int.pl',
  'interia.com',
  'interiowy.pl',
  'internxt.com',
  'intmail.pl',
  'mozmail.com',
  'murena.io',
  'ogarnij.se',
  'onet.com',
  'outlook.pl',
  'pacz.to',
  'passinbox.com',
  'pisz.to',
  'poczta.pl',
  'riseup.net',
  'simplelogin.co',
  'slmail.me',
  'startmail.com',
  'temp-mail.io',
  'tuta.com',
  'zoho.eu',
  'zoho.in',
  'zohomail.eu',
];

// Listed domains below which companies register their own domains.
const registries = new Set(['msk.ru', 'pp.ua', 'spb.ru', 'za.com']);

function readDomains(path: string): string[] {
  return JSON.parse(readFileSync(require.resolve(path), 'utf8')) as string[];
}

const constants = require.resolve('free-email-domains-list/build/src/constants');
const { DOMAINS: freeDomains } = require(constants) as { DOMAINS: string[] };
// The module is as large as all lists below.
delete require.cache[constants];

// Free mail, then disposable mailboxes: a line each, since a set of so many takes seven times the memory.
const refusedDomains = `\n${[
  ...freeDomains,
  ...readDomains('disposable-email-domains'),
  ...readDomains('disposable-email-domains/wildcard.json'),
  ...readDomains('disposable-email-domains-js/dist/dict/disposable_email_blocklist.json'),
  ...furtherDomains,
]
  .map((domain) => (/^[a-z0-9.-]+$/.test(domain) ? domain : domainToASCII(domain)))
  .join('\n')}\n`;

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
    const isListed = refusedDomains.includes(`\n${name}\n`) || further.has(name);
    if (isListed && (name === domain || !registries.has(name))) return true;
    if (name === registered) return false;
  }
}
