import { sql } from 'kysely';

/** The run that published the newest snapshot, of those that a statement sees. */
export const newestRun = sql<string | null>`(
    select max(run.run_id)
    from registry.run as run
    where run.state in ('published', 'imported')
)`;
