import { existsSync, readdirSync } from 'node:fs';

export const folder = new URL('../sources/', import.meta.url);

/** The names of the registries that have a service. */
export const fetchable = readdirSync(folder)
  .filter((name) => existsSync(new URL(`${name}/settings.csv`, folder)))
  .toSorted();
