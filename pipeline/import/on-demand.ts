/** As customers name companies: `customer.watch.identifier_type`. */
export type IdentifierType = 'NIP' | 'REGON9' | 'KRS';

/** What a registry answered, as it stands in a dump of it. */
export interface DumpLine {
  file: string;
  line: string;
}

/** A registry that can be asked for one company. */
export interface OnDemandSource {
  /** Its folder below `sources/`. */
  source: string;
  /** For people: `REGON`. */
  name: string;
  /** By what it can be asked. */
  answers: readonly IdentifierType[];
  /** Whether it holds every company that has such a number. */
  isComplete: boolean;
  /** The first line of every file of the dump, where its files have one. */
  header?: string;
  /** No lines: the registry does not know the number. Throws a sentence when there is no answer. */
  ask(type: IdentifierType, value: string, signal: AbortSignal): Promise<DumpLine[]>;
  close?(): Promise<void>;
}
