import { z } from 'zod';
import { countryField } from '../dictionaries/countries.ts';
import { dateField, inOrder } from '../http/text-fields.ts';
import { countField, sourceField } from './source.ts';

// day-and-range.ts has the descriptions of the endpoints for one day and for 30 days.

/** The dimensions by which entries can be selected and grouped, in the order of the parameters of `read_series.sql`. */
export const dimensions = ['voivodeship', 'section', 'legal_form'] as const;

export type Dimension = (typeof dimensions)[number];

/** The value in a query that selects the entries for which a dimension is unknown. */
export const none = 'none';

export const by = z.enum(['day', 'month']);

export const seriesQuery = z
  .strictObject({
    from: dateField.optional(),
    to: dateField.optional(),
    by: by.default('day'),
    source: sourceField.optional(),
    country: countryField,
    voivodeship: z.string().optional(),
    section: z
      .string()
      .transform((text) => text.toUpperCase())
      .meta({ type: 'string' })
      .optional(),
    legal_form: z.string().optional(),
    group_by: z
      .string()
      .regex(/^(voivodeship|section|legal_form)(,(voivodeship|section|legal_form)){0,2}$/, {
        error: 'The group_by field must list voivodeship, section, legal_form, or some of them.',
      })
      .transform((text) => dimensions.filter((dimension) => text.split(',').includes(dimension)))
      .meta({ type: 'string' })
      .optional(),
  })
  .check(inOrder('from', 'to'));

export type SeriesQuery = z.output<typeof seriesQuery>;

const flowField = countField.nullable();

const groupField = z.string().nullable().optional();

export const point = z.strictObject({
  date: z.iso.date(),
  group: z
    .strictObject({ voivodeship: groupField, section: groupField, legal_form: groupField })
    .optional(),
  stock: z.strictObject({ ACTIVE: flowField, SUSPENDED: flowField, DELETED: flowField }),
  new: flowField,
  ended: flowField,
  suspended: flowField,
  resumed: flowField,
  is_baseline: z.boolean(),
  births: flowField,
  returns: flowField,
  moved_in: flowField,
  moved_out: flowField,
  recoded_in: flowField,
  recoded_out: flowField,
  days_covered: flowField,
  days_with_data: countField,
  is_partial: z.boolean(),
  is_suppressed: z.boolean(),
});

export type Point = z.output<typeof point>;
