import { z } from 'zod';
import { checkEnvironment, setting } from '../../sql/process/environment.ts';
import { readTable } from '../sources/table.ts';
import { fetchable, folder } from './fetchable.ts';
import type { RegistryService } from './registry-service.ts';

// Node's `fetch` refuses addresses with a password. An address has no `?` and `#`, because paths are appended to it.
const address = z.url({ protocol: /^https?$/ }).refine((url) => !/[?#]|:\/\/[^/]*@/.test(url));

const forms: Record<string, z.ZodType<string, string>> = {
  secret: z.string().regex(/^[\x21-\x7e]+$/),
  address,
  /** Slashes at the end of the address of an API are removed, because paths are appended to it. */
  base: address.transform((url) => url.replace(/\/+$/, '')),
};

type Column = 'setting' | 'member' | 'form' | 'default_value' | 'must_be';

/** The rows of the `settings.csv` of each registry that has a service. `member` is the name that `service.ts` uses. */
export const registries = new Map(
  fetchable.map((name) => [name, readTable<Column>(new URL(`${name}/settings.csv`, folder))]),
);

/** Returns the first setting of a registry, which turns on the requests to the registry. */
export const settingOf = (source: string) => registries.get(source)![0]!.setting;

/** The environment variables for the services of the registries, with the check of each variable. */
export const shape = Object.fromEntries(
  [...registries.values()].flat().map((row) => {
    const form = forms[row.form];
    if (!form) throw new Error(`${row.setting} has an unknown form: ${row.form}`);
    const checked = setting(row.must_be, form);
    const { default_value } = row;
    return [row.setting, default_value ? checked.default(default_value) : checked.optional()];
  }),
);

/** The address and the key of each registry's service; undefined for a registry that is not set up. */
export type FetchEnvironment = Readonly<Record<string, object | undefined>>;

/** Reads and checks the settings for the services of the registries. Throws an `EnvironmentError`. */
export function readFetchEnvironment(variables: NodeJS.ProcessEnv = process.env): FetchEnvironment {
  const checked = checkEnvironment(shape, variables);
  const services = [...registries].map(([source, rows]) => {
    const members = rows.map((row) => [row.member, checked[row.setting]]);
    return [source, checked[settingOf(source)] ? Object.fromEntries(members) : undefined];
  });
  return Object.fromEntries(services);
}

/** Loads the service of a registry. TypeScript does not check its settings; environment.test.ts lists their members. */
export async function loadService(source: string): Promise<RegistryService> {
  const loaded: unknown = await import(new URL(`${source}/service.ts`, folder).href);
  return (loaded as { service: RegistryService }).service;
}
