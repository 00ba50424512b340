import { countryOfNumber, dayIn } from '../../../sql/country.ts';
import { type RegistryService, toLines } from '../../fetch/registry-service.ts';
import { fetchSirene } from './fetch.ts';
import { Sirene } from './fetch-lists.ts';
import { StockCatalogue } from './fetch-stock.ts';

/**
 * The service of SIRENE; `Sirene` of fetch-lists.ts sends the requests. A company is requested by its SIREN, or by the
 * SIREN at the beginning of a SIRET. If the SIREN is a duplicate, SIRENE answers with the legal unit that INSEE keeps
 * instead. `ask` requests the legal unit, its head office, its open establishments, and the one with the given SIRET.
 */
export const service: RegistryService<{ url: string; token: string; stockUrl: string }> = {
  isAfterTheDay: true,
  longest_gap_days: 31,
  open({ url, token, stockUrl, ...how }) {
    const sirene = new Sirene({ ...how, url, token });
    const catalogue = new StockCatalogue({ ...how, url: stockUrl });
    return {
      fetch: (plan) => fetchSirene(sirene, catalogue, plan),
      answers: ['SIREN', 'SIRET'],
      isComplete: true,
      async ask(type, value) {
        const old_key = value.slice(0, 9);
        const unit = await sirene.unit(old_key);
        if (!unit) return [];
        const new_key = unit.uniteLegale.siren;
        const isDuplicate = new_key !== old_key;
        const asked = type === 'SIRET' && !isDuplicate ? ` OR siret:${value}` : '';
        // One page has at most a thousand establishments. Further establishments come with the next stock (full dump).
        const known = `(periode(etatAdministratifEtablissement:A) OR etablissementSiege:true${asked})`;
        const query = `siren:${new_key} AND ${known}`;
        const today = dayIn(new Date(), countryOfNumber('SIREN'));
        const page = await sirene.page('siret', query, '*', today);
        // If SIRENE does not return the establishment with a requested SIRET, the SIRET was never issued.
        if (asked !== '' && !page?.etablissements?.some(({ siret }) => siret === value)) return [];
        const lines = toLines('answers.ndjson', page ? [unit, page] : [unit]);
        return isDuplicate
          ? lines.map((line) => ({ ...line, duplicate: { old_key, new_key } }))
          : lines;
      },
    };
  },
};
