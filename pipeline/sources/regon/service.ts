import { type RegistryService, toLines } from '../../fetch/registry-service.ts';
import { Bir } from './bir.ts';
import { askRegon, fetchRegon } from './fetch.ts';

/** The service of REGON, which knows sole traders and companies; `Bir` of bir.ts sends the requests. */
export const service: RegistryService<{ url: string; key: string }> = {
  isAfterTheDay: true,
  // GUS keeps REGON's lists for about a week.
  longest_gap_days: 7,
  open(settings) {
    const bir = new Bir(settings);
    return {
      fetch: (plan) => fetchRegon(bir, plan),
      answers: ['NIP', 'REGON9', 'KRS'],
      isComplete: true,
      async ask(type, value) {
        const parameter = { NIP: 'Nip', REGON9: 'Regon', KRS: 'Krs' }[type]!;
        return toLines('reports.ndjson', await askRegon(bir, { [parameter]: value }));
      },
    };
  },
};
