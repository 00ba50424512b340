import { z } from 'zod';

/** The measures of the map: entries, their share of the country, their change, and entries per inhabitant. */
const measures = ['count', 'share', 'change', 'rate'] as const;

const text = z.string().catch('');

/** The selection in the address: the parameters of `GET /stats/series`; blank means all. */
export const selectionQuery = z.object({
  /** The country of the registry; blank: the default country. */
  country: text,
  source: text,
  voivodeship: text,
  section: z
    .string()
    .regex(/^([A-Z]|none)$/i)
    .catch(''),
  legal_form: text,
  from: z.iso.date().catch(''),
  to: z.iso.date().catch(''),
  by: z.enum(['day', 'month']).catch('day'),
  /** The measure of the map; blank: the count, the first measure. */
  measure: z.enum(measures.slice(1)).or(z.literal('')).catch(''),
});

export type Selection = z.output<typeof selectionQuery>;
