import { z } from 'zod';

/** What the map can show: entries, their share of the country, their change, and entries per inhabitant. */
const measures = ['count', 'share', 'change', 'rate'] as const;

const text = z.string().catch('');

/** The selection in the address: the parameters of `GET /stats/series`; blank means all. */
export const selectionQuery = z.object({
  /** Blank is the first country. */
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
  /** What the map shows; not blank only where it is not the first of them. */
  measure: z.enum(measures.slice(1)).or(z.literal('')).catch(''),
});

export type Selection = z.output<typeof selectionQuery>;
