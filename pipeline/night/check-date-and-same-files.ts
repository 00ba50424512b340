import { dayIn } from '../../sql/country.ts';
import type { DumpFile } from '../dump/files.ts';
import { NothingToDo, Refusal } from '../errors.ts';
import type { Night } from './context.ts';

/**
 * Checks the date and the files of a dump. Throws `NothingToDo` when these files are already published for this date.
 * Throws a `Refusal` when other files are published for this date, when the date is in the future, or when a dump of a
 * later date is published. `sql/api/stats/read_quality.sql` counts the days between a dump's date and its publication.
 */
export async function checkDateAndFiles(night: Night, files: readonly DumpFile[]): Promise<void> {
  const { client, source, dump_date, newest } = night;
  const today = dayIn(night.now(), night.description.country_code);
  if (dump_date > today) {
    throw new Refusal(`The dump date ${dump_date} is in the future; today is ${today}`);
  }
  const { rows } = await client.query<{ file_key: string; sha256: string }>(
    `select run_file.file_key, run_file.sha256
     from registry.run
     join registry.run_file using (run_id)
     where run.source = $1 and run.dump_date = $2 and run.state = 'published'`,
    [source, dump_date],
  );
  if (rows.length > 0) {
    const list = (of: typeof rows) =>
      of.map((file) => `${file.file_key} ${file.sha256}`).toSorted();
    const isSame = list(rows).join() === list([...files]).join();
    if (isSame) throw new NothingToDo(`The ${source} dump of ${dump_date} is published already`);
    throw new Refusal(`Another ${source} dump of ${dump_date} is published already`);
  }
  if (newest && dump_date < newest.dump_date) {
    throw new Refusal(
      `The dump of ${dump_date} is older than the newest published one, of ${newest.dump_date}`,
    );
  }
}
