import { globSync } from 'node:fs';
import { z } from 'zod';
import { checkEnvironment, setting } from '../../sql/process/environment.ts';
import { readTable } from '../sources/table.ts';
import type { RegistryService } from './registry-service.ts';

// Node's `fetch` refuses addresses with a password. An address has no `?` and `#`, because paths are appended to it.
const address = z.url({ protocol: /^https?$/ }).refine((url) => !/[?#]|:\/\/[^/]*@/.test(url));

const forms: Record<string, z.ZodType<string, string>> = {
  secret: z.string().regex(/^[\x21-\x7e]+$/),
  address,
  /** Slashes at the end of the address of an API are removed, because paths are appended to it. */
  base: address.transform((url) => url.replace(/\/+$/, '')),
};

const folder = new URL('../sources/', import.meta.url);
type Column = 'setting' | 'member' | 'form' | 'default_value' | 'must_be';

/** The settings of each registry that has a service, by the name of its folder; the first one turns on the requests. */
export const registries = new Map(
  globSync('*/settings.csv', { cwd: folder })
    .toSorted()
    .map((file) => [file.split('/')[0]!, readTable<Column>(new URL(file, folder))]),
);

/** Returns the name of the setting that turns on the requests to a registry. */
export const settingOf = (source: string) => registries.get(source)![0]!.setting;

/** The environment variables for the services of the registries, with the check of each variable. */
export const shape = Object.fromEntries(
  [...registries.values()].flat().map((row) => {
    const checked = setting(row.must_be, forms[row.form]!);
    return [
      row.setting,
      row.default_value ? checked.default(row.default_value) : checked.optional(),
    ];
  }),
);

/** The address and the key of each registry's service; undefined for a registry that is not set up. */
export type FetchEnvironment = Readonly<Record<string, object | undefined>>;

/** Reads and checks the settings for the services of the registries. Throws an `EnvironmentError`. */
export function readFetchEnvironment(variables: NodeJS.ProcessEnv = process.env): FetchEnvironment {
  const checked = checkEnvironment(shape, variables);
  const services = [...registries].map(([source, rows]) => {
    const members = rows.map((row) => [row.member, checked[row.setting]]);
    return [source, checked[settingOf(source)] && Object.fromEntries(members)];
  });
  return Object.fromEntries(services) as FetchEnvironment;
}

export async function loadService(source: string): Promise<RegistryService> {
  const loaded: unknown = await import(new URL(`${source}/service.ts`, folder).href);
  return (loaded as { service: RegistryService }).service;
}
