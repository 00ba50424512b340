/** The error of a refused dump: exit code 3. Its message names the file, and the line if there is one. */
export class Refusal extends Error {
  /** The findings of the guards, which `--accept` may accept; empty: nothing can accept the dump. */
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
  /** The file that the guard refuses; null: the dump as a whole. */
  file: string | null;
  /** The field that the guard refuses; absent: the guard looks at no single field. */
  field?: string;
  /** The figure that the guard found, and the limit that it passed; most are percentages. */
  value: number;
  limit: number;
  /** The finding in words. */
  sentence: string;
}

/** The error of a start while another run of the source is under way: exit code 4. */
export class AlreadyRunning extends Error {}

/** The error of work that has been done before: exit code 5. */
export class NothingToDo extends Error {}

/** The error of a wrong command line or environment: exit code 2. */
export class WrongUsage extends Error {}

/** Returns the state of an attempt that threw; The state `failed` means an unexpected error or wrong usage. */
export function stateOf(error: unknown): 'refused' | 'running' | 'nothing' | 'failed' {
  if (error instanceof Refusal) return 'refused';
  if (error instanceof AlreadyRunning) return 'running';
  return error instanceof NothingToDo ? 'nothing' : 'failed';
}
