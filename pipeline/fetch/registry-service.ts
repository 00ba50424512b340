import type { FetchPlan, FetchReport } from './report.ts';
import type { ServiceSettings } from './service.ts';

/** A line that a registry's answer adds to a dump, with the name of the file that gets the line. */
export interface DumpLine {
  file: string;
  line: string;
  /** If the requested key is a duplicate: this key, and the key of the entry that the registry keeps instead. */
  duplicate?: { old_key: string; new_key: string };
}

/** Returns a dump line for each answer, as JSON. */
export const toLines = (file: string, answers: readonly object[]): DumpLine[] =>
  answers.map((answer) => ({ file, line: JSON.stringify(answer) }));

/** A registry that answers requests for one company. */
export interface OnDemandSource {
  /** The types of numbers by which the registry finds a company, from `identifier_type.csv` of its country. */
  answers: readonly string[];
  /** Whether the registry has all companies with such numbers, so that a number that it does not know is wrong. */
  isComplete: boolean;
  /** The header line of every file of the dump; undefined if the files have no header. */
  header?: string;
  /** Returns the answer's lines, or an empty list for an unknown number. Throws an error if the registry fails. */
  ask(type: string, value: string): Promise<DumpLine[]>;
}

/**
 * The service of a registry. The file `service.ts` of a source exports this object as `service`, and `settings.csv` has
 * the environment variables from which the members of `Settings` come.
 */
export interface RegistryService<Settings extends object = object> {
  /** Whether the registry's data of a day is complete only after the day; false if complete in the day's morning. */
  isAfterTheDay: boolean;
  /** The number of past days for which a missing dump is still fetched. */
  longest_gap_days: number;
  /** Returns a plain object that fetches the dump of a day and requests single companies. */
  open(settings: Settings & ServiceSettings): OnDemandSource & {
    fetch(plan: FetchPlan): Promise<FetchReport>;
  };
}
