import { askRegon } from '../fetch/regon.ts';
import { Bir } from '../fetch/bir.ts';
import { askCeidg, Ceidg } from '../fetch/ceidg.ts';
import type { FetchEnvironment } from '../fetch/environment.ts';
import { askKrs, Krs } from '../fetch/krs.ts';
import type { RateLimit } from '../fetch/rate.ts';
import type { RetryPolicy } from '../fetch/service.ts';
import { ceidgHeader, writeCeidgRow } from './ceidg-row.ts';
import type { OnDemandSource } from './on-demand.ts';

/** Somebody waits: what does not answer soon is asked again another time. */
const impatience: RetryPolicy = {
  tries: 3,
  first_wait_ms: 500,
  longest_wait_ms: 5_000,
  longest_break_ms: 10_000,
};

/** How services are asked, where it is not as their documents say. */
interface Manner {
  retry?: RetryPolicy;
  limits?: readonly RateLimit[];
  timeout_ms?: number;
}

/** The registries that are set up, in the order in which they are asked. */
export function createOnDemandSources(
  settings: FetchEnvironment,
  manner: Manner = {},
): OnDemandSource[] {
  const how = { retry: impatience, timeout_ms: 20_000, ...manner };
  return [
    ...(settings.krs ? [createKrs(new Krs({ ...settings.krs, ...how }))] : []),
    ...(settings.bir ? [createRegon(new Bir({ ...settings.bir, ...how }))] : []),
    ...(settings.ceidg ? [createCeidg(new Ceidg({ ...settings.ceidg, ...how }))] : []),
  ];
}

function createKrs(krs: Krs): OnDemandSource {
  return {
    source: 'krs',
    name: 'KRS',
    answers: ['KRS'],
    isDelta: true,
    isComplete: true,
    async ask(_type, value, signal) {
      const answer = await askKrs(krs, value, signal);
      const extract = answer.outcome === 'not_found' ? undefined : answer.extract;
      return extract ? [{ file: 'extracts.ndjson', line: JSON.stringify(extract) }] : [];
    },
  };
}

/** Has everybody: persons who do business, and companies whether or not they are in KRS. */
function createRegon(bir: Bir): OnDemandSource {
  return {
    source: 'regon',
    name: 'REGON',
    answers: ['NIP', 'REGON9', 'KRS'],
    isDelta: true,
    isComplete: true,
    async ask(type, value, signal) {
      const queries = { NIP: { nip: value }, REGON9: { regon: value }, KRS: { krs: value } };
      const entities = await askRegon(bir, queries[type], signal);
      return entities
        .filter(({ outcome }) => outcome === 'had')
        .flatMap(({ lines }) => lines)
        .map((line) => ({ file: 'reports.ndjson', line: JSON.stringify(line) }));
    },
    close: () => bir.close(),
  };
}

function createCeidg(ceidg: Ceidg): OnDemandSource {
  return {
    source: 'ceidg',
    name: 'CEIDG',
    answers: ['NIP', 'REGON9'],
    isDelta: false,
    // Companies are not in it.
    isComplete: false,
    header: ceidgHeader,
    async ask(type, value, signal) {
      const query = type === 'NIP' ? { nip: value } : { regon: value };
      const entries = await askCeidg(ceidg, query, signal);
      return entries.map(writeCeidgRow).filter((row) => row !== undefined);
    },
  };
}
