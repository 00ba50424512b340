import { CommanderError } from 'commander';
import { stateOf, WrongUsage } from './errors.ts';

/** The exit codes of the program `registry`; `pipeline/README.md` explains each code. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  running: 4,
  nothing: 5,
} as const;

/** Returns the most serious exit code of several nights and fetches. */
export function exitCodeOf(outcomes: readonly { state: string }[]): number {
  const states = new Set(outcomes.map(({ state }) => state));
  const worst = (['failed', 'refused', 'running'] as const).find((state) => states.has(state));
  if (worst !== undefined) return exitCodes[worst];
  return states.has('published') ? exitCodes.done : exitCodes.nothing;
}

export function exitCodeOfError(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  // An `EnvironmentError` is recognized by its name, since importing the class would load the checks of all settings.
  if ((error as Error).name === 'EnvironmentError') return exitCodes.usage;
  if (error instanceof WrongUsage) return exitCodes.usage;
  return exitCodes[stateOf(error)];
}
