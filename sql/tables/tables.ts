import type { CustomerTables } from './customer.ts';
import type { RegistryTables } from './registry.ts';

/** The tables and columns that TypeScript reads and writes through Kysely. */
export interface Tables extends CustomerTables, RegistryTables {}
