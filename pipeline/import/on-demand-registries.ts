import { type FetchEnvironment, loadService } from '../fetch/environment.ts';
import type { OnDemandSource } from '../fetch/registry-service.ts';
import type { ServiceSettings } from '../fetch/service.ts';
import { imports } from '../figures/import-retries.ts';

/** A registry that answers requests for one company, with its folder's name; messages have the name in capitals. */
export type NamedSource = OnDemandSource & { source: string };

/**
 * Returns the registries that are set up, in the order in which `askFor` of ask-registries.ts requests a number: first
 * registries with `isComplete`, and among equal registries the one that answers fewer types of numbers.
 */
export async function createOnDemandSources(
  settings: FetchEnvironment,
  manner: ServiceSettings = {},
): Promise<NamedSource[]> {
  const setUp = Object.entries(settings).filter(([, own]) => own !== undefined);
  const opened = setUp.map(async ([source, own]) => {
    const service = await loadService(source);
    return { source, ...service.open({ ...own, ...imports.service, ...manner }) };
  });
  return (await Promise.all(opened)).toSorted(
    (one, other) =>
      Number(other.isComplete) - Number(one.isComplete) ||
      one.answers.length - other.answers.length,
  );
}
