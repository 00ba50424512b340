import { z } from 'zod';
import { checkEnvironment, setting } from '../../sql/process/environment.ts';

const secret = z.string().regex(/^[\x21-\x7e]+$/);

// Node's `fetch` refuses addresses with a password. An address has no `?` and `#`, because paths are appended to it.
const address = z.url({ protocol: /^https?$/ }).refine((url) => !/[?#]|:\/\/[^/]*@/.test(url));

/** Checks the address of an API, and removes slashes at its end, because paths are appended to it. */
const base = address.transform((url) => url.replace(/\/+$/, ''));

/** The settings for the APIs of the registries, with the check of each setting. */
export const shape = {
  BIR_API_KEY: setting('the key that GUS has given you, without spaces', secret).optional(),
  BIR_URL: setting('the address of the service BIR of GUS, https://….svc', address).default(
    'https://wyszukiwarkaregon.stat.gov.pl/wsBIR/UslugaBIRzewnPubl.svc',
  ),
  // KRS needs no key, so setting its address is enough to set KRS up.
  KRS_URL: setting('the address of the open API of KRS, https://…/api/krs', base).optional(),
  CEIDG_TOKEN: setting('the token of the CEIDG API, without spaces', secret).optional(),
  CEIDG_URL: setting('the address of the CEIDG API, https://…/api/ceidg/v3', base).default(
    'https://dane.biznes.gov.pl/api/ceidg/v3',
  ),
  SIRENE_TOKEN: setting('the key that INSEE has given you, without spaces', secret).optional(),
  SIRENE_URL: setting('the address of the API Sirene, https://…/api-sirene/3.11', base).default(
    'https://api.insee.fr/api-sirene/3.11',
  ),
  SIRENE_STOCK_URL: setting(
    'the address of the data set of SIRENE in the catalogue of data.gouv.fr',
    address,
  ).default(
    'https://www.data.gouv.fr/api/1/datasets/base-sirene-des-entreprises-et-de-leurs-etablissements-siren-siret/',
  ),
};

/** The address and the key of each registry's API; undefined for a registry that is not set up. */
export type FetchEnvironment = ReturnType<typeof readFetchEnvironment>;

/** Reads and checks the settings for the APIs of the registries. Throws an `EnvironmentError`. */
export function readFetchEnvironment(variables: NodeJS.ProcessEnv = process.env) {
  const { BIR_API_KEY: key, KRS_URL: url, ...checked } = checkEnvironment(shape, variables);
  const { CEIDG_TOKEN, SIRENE_TOKEN, SIRENE_STOCK_URL: stockUrl } = checked;
  return {
    regon: key ? { url: checked.BIR_URL, key } : undefined,
    krs: url ? { url } : undefined,
    ceidg: CEIDG_TOKEN ? { url: checked.CEIDG_URL, token: CEIDG_TOKEN } : undefined,
    sirene: SIRENE_TOKEN ? { url: checked.SIRENE_URL, token: SIRENE_TOKEN, stockUrl } : undefined,
  };
}
