import { dayIn } from '../../sql/country.ts';
import { NothingToDo, WrongUsage } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { figure } from '../written-figure.ts';
import { verify } from '../night/verify.ts';
import { loadSource } from '../sources/source.ts';
import { print } from './print.ts';
import { withDatabase } from './session.ts';
import { describeReader, readSnapshots } from './status.ts';

/** Runs `registry verify`: prints contradictions in the published data; if it finds one, the exit code is 1. */
export async function verifySnapshots(
  source: string | undefined,
  { json, on }: { json?: boolean; on: string },
): Promise<void> {
  if (source !== undefined) await loadSource(source);
  if (!['write', 'read'].includes(on)) throw new WrongUsage('--on is write or read');
  await withDatabase(
    async (db) => {
      const pool = on === 'read' ? db.readers?.chooseReader() : db.pool;
      if (!pool)
        throw new Error(
          `No reader is there: ${db.readers?.states().map(describeReader).join('; ') ?? 'DATABASE_READ_URL is not set'}`,
        );
      const snapshots = (await readSnapshots({ pool }, dayIn(new Date()))).filter(
        (snapshot) => source === undefined || snapshot.source === source,
      );
      const nothing = source ? `Nothing of ${source}` : 'Nothing';
      if (snapshots.length === 0) throw new NothingToDo(`${nothing} is published yet`);
      const verified = [];
      for (const { source: name, dump_date, entries } of snapshots) {
        const findings = await verify({ pool }, name);
        const is_whole = findings.length === 0;
        verified.push({ source: name, dump_date, is_whole, findings });
        if (!is_whole) process.exitCode = exitCodes.failed;
        if (!json)
          print(is_whole ? [`${name} ${dump_date}: whole, ${figure(entries)} entries`] : findings);
      }
      if (json) print([JSON.stringify(source ? verified[0] : { snapshots: verified })]);
    },
    { reads: on === 'read' },
  );
}
