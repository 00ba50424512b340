/** The error of a refused dump (exit code 3). The message names the file and, if one line is the cause, the line. */
export class Refusal extends Error {
  /** The findings of the guards, which `--accept` can overrule; empty: not even `--accept` publishes the dump. */
  readonly findings: readonly GuardFinding[];

  constructor(
    message: string,
    { findings = [], ...options }: ErrorOptions & { findings?: readonly GuardFinding[] } = {},
  ) {
    super(message, options);
    this.findings = findings;
  }
}

/** The reason why a guard refuses a dump, or one of its files or fields. */
export interface GuardFinding {
  /** The name of the guard's query in `sql/check/`, without `guard_`. */
  guard: string;
  /** The name of the file that the guard refuses; null: the guard refuses the dump as a whole. */
  file: string | null;
  /** The name of the field whose values are the reason for the refusal; absent: the guard checks no single fields. */
  field?: string;
  /** The figure that the guard computed, mostly in per cent, and the limit that this figure exceeds. */
  value: number;
  limit: number;
  /** The guard's reason as a sentence for operators. */
  sentence: string;
}

/** The error of a run that cannot start because another run of its source is under way; exit code 4. */
export class AlreadyRunning extends Error {}

/** The error of a command that has nothing to do, such as a second publication of the same dump; exit code 5. */
export class NothingToDo extends Error {}

/** The error of a wrong command line or a wrong setting; exit code 2. */
export class WrongUsage extends Error {}

/** Returns the state of a run that threw an error; `failed` stands for an unexpected error or wrong usage. */
export function stateOf(error: unknown): 'refused' | 'running' | 'nothing' | 'failed' {
  if (error instanceof Refusal) return 'refused';
  if (error instanceof AlreadyRunning) return 'running';
  return error instanceof NothingToDo ? 'nothing' : 'failed';
}
