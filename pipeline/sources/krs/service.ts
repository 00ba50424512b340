import { type RegistryService, toLines } from '../../fetch/registry-service.ts';
import { fetchKrs, Krs } from './fetch.ts';

/** The service of KRS (`Krs` of fetch.ts). KRS needs no key, so setting its address is enough to set KRS up. */
export const service: RegistryService<{ url: string }> = {
  isAfterTheDay: true,
  longest_gap_days: 31,
  open(settings) {
    const krs = new Krs(settings);
    return {
      fetch: (plan) => fetchKrs(krs, plan),
      answers: ['KRS'],
      isComplete: true,
      async ask(_type, value) {
        const { extract } = await krs.extract(value);
        return toLines('extracts.ndjson', extract ? [extract] : []);
      },
    };
  },
};
