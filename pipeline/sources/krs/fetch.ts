import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { fillFolder, readLines, writeLines } from '../../fetch/folder.ts';
import { openJournal } from '../../fetch/journal.ts';
import { createReport, type FetchPlan, type FetchReport } from '../../fetch/report.ts';
import { askEvery, refuseGaps } from '../../fetch/missing-answers.ts';
import { Service, type ServiceSettings } from '../../fetch/service.ts';

/** The rate limits for KRS. KRS publishes no rate limits, but has accepted requests at this rate. */
const limits = () => [
  { count: 4, window_ms: 1000 },
  { count: 180, window_ms: 60_000 },
];

/** The registers of KRS: P of entrepreneurs, S of associations and the like. A KRS number may be in both registers. */
const registers = ['P', 'S'] as const;

const bulletin = z
  .array(z.coerce.string().regex(/^\d{1,10}$/))
  .transform((numbers) => [...new Set(numbers.map((one) => one.padStart(10, '0')))].toSorted());

/** A current extract (OdpisAktualny) or a full extract (OdpisPelny) of a company, as KRS returns the extract. */
export interface Extract {
  odpis: Record<string, unknown>;
}

/** Calls the open API of KRS, which needs no key. */
export class Krs extends Service {
  /** @param settings.url the address of the API up to and including `/api/krs` */
  constructor(settings: ServiceSettings & { url: string }) {
    // The longest known full extract is smaller than one megabyte, so 32 MB leave room for growth.
    super('KRS', { limits, max_bytes: 32 * 1024 ** 2, ...settings });
  }

  /** Returns the KRS numbers of the companies with a new register entry on a day, ascending, without duplicates. */
  bulletin(date: string): Promise<string[]> {
    return this.askJson(`/Biuletyn/${date}`, bulletin, 'list of KRS numbers', { 204: [] });
  }

  /**
   * Requests the extract with a KRS number, and returns the outcome and the extract. Asks both registers, because a
   * company that one register has struck off may be in the other register. The outcome `had` means that KRS returns the
   * current extract, or the full extract of a struck-off company. `without_extract` means that the company is struck
   * off and KRS returns no extract of it. `not_found` means that KRS has no such number.
   */
  async extract(krs: string): Promise<{ outcome: string; extract?: Extract }> {
    const struckOff: string[] = [];
    for (const register of registers) {
      const current = await this.#ask('OdpisAktualny', krs, register);
      if (typeof current === 'object') return { outcome: 'had', extract: current };
      if (current === 'struck_off') struckOff.push(register);
    }
    for (const register of struckOff) {
      const full = await this.#ask('OdpisPelny', krs, register);
      if (typeof full === 'object') return { outcome: 'had', extract: full };
    }
    return { outcome: struckOff.length > 0 ? 'without_extract' : 'not_found' };
  }

  #ask(kind: string, krs: string, register: string) {
    const path = `/${kind}/${encodeURIComponent(krs)}?rejestr=${register}&format=json`;
    const extract = z.custom<Extract>((content) => numberOf(content) === krs);
    const meanings = { 204: 'struck_off', 404: 'not_found' } as const;
    return this.askJson(path, extract, `extract of ${krs}`, meanings);
  }
}

/** Returns the KRS number that an extract states, because KRS might send the extract of another company. */
function numberOf(extract: unknown): unknown {
  const { odpis } = (extract ?? {}) as { odpis?: Record<string, { numerKRS?: unknown } | null> };
  return (odpis?.naglowekA ?? odpis?.naglowekP)?.numerKRS;
}

/**
 * Fetches the changes of a day in KRS: the bulletin (the list of changed companies), then an extract of each company.
 * The dump consists of `extracts.ndjson` with one extract per line, and `deleted.txt` with the KRS numbers of
 * struck-off companies without an extract. Throws a `Refusal` if too many extracts are missing, and a `ServiceFault` if
 * KRS sends no bulletin. Throws `NothingToDo` for a fetched day, and `AlreadyRunning` if another process fetches it.
 */
export function fetchKrs(krs: Krs, plan: FetchPlan): Promise<FetchReport> {
  return fillFolder({ ...plan, source: 'krs' }, async ({ dump, work }) => {
    const { date, progress } = plan;
    progress.step('bulletin');
    const listPath = join(work, 'bulletin.txt');
    if (!existsSync(listPath)) await writeLines(listPath, await krs.bulletin(date));
    const asked = await readLines(listPath);
    const journal = await openJournal(work);
    const due = asked.filter((number) => !journal.outcomes.has(number));
    const before = asked.length - due.length;
    progress.step('extracts');
    const missing = await askEvery(due, {
      onProgress: (done) => progress.count(before + done, asked.length),
      ask: async (number) => {
        const { outcome, extract } = await krs.extract(number);
        journal.append(number, outcome, extract ? [extract] : []);
      },
    });
    refuseGaps(asked.length, missing);
    await journal.writeDump(join(dump, 'extracts.ndjson'));
    const report = createReport('krs', plan, asked, journal.outcomes, { missing });
    if (report.without_extract.length > 0) {
      await writeLines(join(dump, 'deleted.txt'), report.without_extract);
    }
    return report;
  });
}
