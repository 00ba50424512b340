import type { Request } from 'express';
import { z } from 'zod';
import { readLegalForms, readSections, readVoivodeships } from '../../dictionaries/names.ts';
import { basePath } from '../../endpoint/mount.ts';
import type { Context } from '../../http/context.ts';
import { none } from '../../stats/series-fields.ts';
import { findSnapshots } from '../home.ts';
import { createWords } from '../texts.ts';
import { findMap, measures } from './map.ts';

const text = z.string().catch('');

/** The selection in the address: the parameters of `GET /stats/series`; blank means all. */
const selectionQuery = z.object({
  source: text,
  voivodeship: text,
  section: z
    .string()
    .regex(/^([A-V]|none)$/i)
    .catch(''),
  legal_form: text,
  from: z.iso.date().catch(''),
  to: z.iso.date().catch(''),
  by: z.enum(['day', 'month']).catch('day'),
  /** What the map shows; not blank only where it is not the first of them. */
  measure: z.enum(measures.slice(1)).or(z.literal('')).catch(''),
});

export type Selection = z.output<typeof selectionQuery>;

function queryOf(selection: Partial<Selection>): string {
  const given = Object.entries(selection).filter(([, value]) => value !== '');
  return new URLSearchParams(given).toString();
}

/** `/stats`: stock and flows over time; the address holds the selection. */
export async function findStatistics(options: Context, request: Request) {
  const { db } = options.readers;
  const { language } = createWords(request, 'stats');
  const snapshots = await findSnapshots(db);
  const [voivodeships, sections, legalForms] = await Promise.all([
    readVoivodeships(db),
    readSections(db, language),
    readLegalForms(db, language),
  ]);
  const asked = selectionQuery.parse(request.query);
  const isForm = legalForms.some(({ slug }) => slug === asked.legal_form);
  const selection = {
    ...asked,
    source: asked.source || (snapshots[0]?.source ?? ''),
    legal_form: isForm || asked.legal_form === none ? asked.legal_form : '',
  };
  const map = await findMap(options, selection);
  const { measure: _, ...series } = selection;
  return {
    selection,
    snapshots,
    map,
    voivodeships: voivodeships.toSorted((one, other) => one.name.localeCompare(other.name, 'pl')),
    sections,
    legalForms: legalForms.toSorted((one, other) => one.name.localeCompare(other.name, language)),
    csv: `${basePath}/stats/series.csv?${queryOf(series)}`,
    data: `/stats/series?${queryOf(series)}`,
    /** The page with a part of the selection replaced; blank is the whole country. */
    addressOf: (part: Partial<Selection>) => `/stats?${queryOf({ ...selection, ...part })}`,
  };
}
