/**
 * The dump is not published, and the reader is told why: exit code 3. The message is a sentence
 * that names the file, and the line where there is one.
 */
export class Refusal extends Error {
  override name = 'Refusal';
}

/** Another run of the same source is under way: exit code 4. */
export class AlreadyRunning extends Error {
  override name = 'AlreadyRunning';
}

/** What was asked for has been done before: exit code 5. */
export class NothingToDo extends Error {
  override name = 'NothingToDo';
}

/** The command line or the environment is wrong: exit code 2. */
export class WrongUsage extends Error {
  override name = 'WrongUsage';
}
