import type { CustomerTables } from './customer.ts';
import type { RegistryTables } from './registry.ts';

/** The tables that TypeScript reads and writes through Kysely, by schema and name. */
export interface Tables extends CustomerTables, RegistryTables {}
