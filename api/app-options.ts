import type { Pool } from 'pg';
import type { AccountOptions } from './accounts/endpoints.ts';
import type { SearchOptions } from './companies/search.ts';
import type { SnapshotOptions } from './companies/snapshot.ts';
import type { MountOptions } from './endpoint/mount.ts';
import type { Environment } from './environment.ts';
import type { ProbeOptions } from './http/probes.ts';
import type { HomeOptions } from './pages/home.ts';
import type { PaymentOptions } from './wallet/payment.ts';

/** What the application takes: what its rooms take, and a few settings of its own. */
export type AppOptions = AccountOptions &
  MountOptions &
  Omit<HomeOptions, 'welcomeCredits'> &
  PaymentOptions &
  ProbeOptions &
  SearchOptions &
  SnapshotOptions &
  Pick<Environment, 'trustProxy'> & {
    /** `/metrics` reads the tables through this pool, and counts its sessions. */
    pool?: Pool;
    /** Then a pending request gets a 503; default 3 seconds, 8 for requests that wait for other services. */
    deadline_ms?: number;
  };
