/** The dump is not published: exit code 3. The message names the file, and the line where there is one. */
export class Refusal extends Error {
  /** The findings of the guards, which `--accept` may accept; empty: nothing can accept the dump. */
  readonly findings: readonly GuardFinding[];

  constructor(
    message: string,
    options: ErrorOptions & { findings?: readonly GuardFinding[] } = {},
  ) {
    super(message, options);
    this.findings = options.findings ?? [];
  }
}

/** Why a guard refuses a dump, or one of its files or fields. */
export interface GuardFinding {
  /** The name of its query in `sql/check/`, without `guard_`. */
  guard: string;
  /** Null: the dump as a whole. */
  file: string | null;
  /** Absent: the guard looks at no single field. */
  field?: string;
  /** The figure that the guard found, and the limit that it passed; most are percentages. */
  value: number;
  limit: number;
  /** The same in words. */
  sentence: string;
}

/** Another run of the same source is under way: exit code 4. */
export class AlreadyRunning extends Error {}

/** The work has been done before: exit code 5. */
export class NothingToDo extends Error {}

/** The command line or the environment is wrong: exit code 2. */
export class WrongUsage extends Error {}

/** Returns the state of an attempt that threw; `failed` is a fault, or wrong usage. */
export function stateOf(error: unknown): 'refused' | 'running' | 'nothing' | 'failed' {
  if (error instanceof Refusal) return 'refused';
  if (error instanceof AlreadyRunning) return 'running';
  return error instanceof NothingToDo ? 'nothing' : 'failed';
}
