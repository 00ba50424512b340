/** As customers name companies: `customer.watch.identifier_type`. */
export type IdentifierType = 'NIP' | 'REGON9' | 'KRS';

/** What a registry answered, as it stands in a dump of it. */
export interface DumpLine {
  /** The file of the dump. */
  file: string;
  line: string;
}

/** A registry that can be asked for one company at once. */
export interface OnDemandSource {
  /** Its folder below `sources/`. */
  source: string;
  /** For people: `REGON`. */
  name: string;
  /** By what it can be asked. */
  answers: readonly IdentifierType[];
  /** Whether its dumps hold only what changed, so that it needs none to begin with. */
  isDelta: boolean;
  /** Whether a number that it does not know is nobody's. */
  isComplete: boolean;
  /** The first line of every file of the dump, where its files have one. */
  header?: string;
  /**
   * Asks for a number; no lines: the registry does not know it.
   *
   * @throws a sentence when it cannot be asked now
   */
  ask(type: IdentifierType, value: string, signal: AbortSignal): Promise<DumpLine[]>;
  close?(): Promise<void>;
}
