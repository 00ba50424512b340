import type { Request } from 'express';
import { chooseCountry } from '../../dictionaries/countries.ts';
import {
  readLegalForms,
  readRegions,
  readSchemes,
  readSections,
} from '../../dictionaries/names.ts';
import { readWords } from '../../dictionaries/words.ts';
import { basePath } from '../../endpoint/mount.ts';
import type { Context } from '../../http/context.ts';
import { none } from '../../stats/series-fields.ts';
import { findCountryChoices } from '../../html/country-choice.ts';
import { findAttributions } from '../../html/attributions.ts';
import { findSnapshots } from '../home.ts';
import { createWords } from '../../html/texts.ts';
import { findMap, type Selection, selectionQuery } from './map.ts';

function queryOf(selection: Partial<Selection>): string {
  const given = Object.entries(selection).filter(([, value]) => value !== '');
  return new URLSearchParams(given).toString();
}

/** Returns the data of the page `/stats`: stock and flows over time. The selection is in the query of the URL. */
export async function findStatistics(options: Context, request: Request) {
  const { db } = options.readers;
  const { language } = createWords(request, 'stats');
  const asked = selectionQuery.parse(request.query);
  const country = await chooseCountry(db, asked.country || undefined);
  const { country_code } = country;
  const isEnglish = language === 'en';
  const snapshots = await findSnapshots(db, country_code);
  const [regions, sections, legalForms, words, schemes] = await Promise.all([
    readRegions(db, country_code),
    readSections(db, country_code, isEnglish),
    readLegalForms(db, country_code, isEnglish),
    readWords(db),
    readSchemes(db, country_code),
  ]);
  const isForm = legalForms.some(({ slug }) => slug === asked.legal_form);
  const selection = {
    ...asked,
    country: country.is_default ? '' : country_code,
    source: asked.source || (snapshots[0]?.source ?? ''),
    legal_form: isForm || asked.legal_form === none ? asked.legal_form : '',
  };
  const map = await findMap(options, country_code, selection);
  const sources = snapshots.map(({ source }) => source).filter((one) => one === selection.source);
  const { measure: _, ...series } = selection;
  return {
    selection,
    snapshots,
    map,
    regions: regions.toSorted((one, other) => one.name.localeCompare(other.name, country.language)),
    /** The country's words that are inserted into the texts of the page. */
    said: {
      region: words.find(country_code, 'region') ?? 'region',
      former: schemes.at(-2)?.name ?? '',
      newest: schemes.at(-1)?.name ?? '',
    },
    countryName: words.nameOf(country, language),
    viewBox: words.find(country_code, 'map'),
    mapCredit: words.find(country_code, 'map_credit', language),
    countries: await findCountryChoices(db, selection.country, false),
    attributions: await findAttributions(db, sources),
    sections,
    legalForms: legalForms.toSorted((one, other) => one.name.localeCompare(other.name, language)),
    csv: `${basePath}/stats/series.csv?${queryOf(series)}`,
    data: `/stats/series?${queryOf(series)}`,
    /** Returns the URL of the page with a part of the selection replaced; a blank region means the whole country. */
    addressOf: (part: Partial<Selection>) => `/stats?${queryOf({ ...selection, ...part })}`,
  };
}
