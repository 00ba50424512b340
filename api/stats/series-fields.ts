import { z } from 'zod';
import { countryField } from '../dictionaries/countries.ts';
import { dateField } from '../http/field.ts';
import { countField, sourceField } from './source.ts';

/** What entries are grouped and selected by, in the order of the parameters of `registry.series`. */
export const dimensions = ['voivodeship', 'section', 'legal_form'] as const;

export type Dimension = (typeof dimensions)[number];

/** The most points of an answer with groups: a year of 85 groups, made in 1 to 2 of the 3 seconds that it has. */
export const mostPoints = 30_000;

/** In a query: the entries without a value. */
export const none = 'none';

export const by = z.enum(['day', 'month']);

export const seriesQuery = z
  .strictObject({
    from: dateField('from')
      .meta({ description: 'The first day; default that of the first snapshot' })
      .optional(),
    to: dateField('to')
      .meta({ description: 'The last day; default that of the newest snapshot' })
      .optional(),
    by: by
      .meta({ description: 'One element a snapshot, or one a month that has snapshots' })
      .default('day'),
    source: sourceField
      .meta({ description: 'The registry; default that of the country with the longest history' })
      .optional(),
    country: countryField,
    voivodeship: z
      .string()
      .meta({
        description: 'Its name, with or without diacritics; `none`: entries without one',
        example: 'mazowieckie',
      })
      .optional(),
    section: z
      .string()
      .transform((text) => text.toUpperCase())
      .meta({
        type: 'string',
        description:
          'The section of the main activity, in the PKD 2025 or the newest classification of the country; `none`: entries without one',
        example: 'F',
      })
      .optional(),
    legal_form: z
      .string()
      .meta({
        description: 'Its slug; `none`: entries without one',
        example: 'spolka-z-ograniczona-odpowiedzialnoscia',
      })
      .optional(),
    group_by: z
      .string()
      .regex(/^(voivodeship|section|legal_form)(,(voivodeship|section|legal_form)){0,2}$/, {
        error: 'The group_by field must list voivodeship, section, legal_form, or some of them.',
      })
      .transform((text) => dimensions.filter((dimension) => text.split(',').includes(dimension)))
      .meta({
        type: 'string',
        description: `One element a snapshot or month and group, such as \`voivodeship,section\`; at most ${mostPoints} in an answer`,
        example: 'voivodeship',
      })
      .optional(),
  })
  .refine(({ from, to }) => !from || !to || from <= to, {
    path: ['to'],
    error: 'The to field must not be before from.',
  });

export type SeriesQuery = z.output<typeof seriesQuery>;

const flowField = countField.nullable();

export const point = z.strictObject({
  date: z.iso.date(),
  group: z
    .strictObject({
      voivodeship: z.string().nullable().optional(),
      section: z.string().nullable().optional().meta({ description: 'A section of the PKD 2025' }),
      legal_form: z.string().nullable().optional(),
    })
    .meta({ description: 'With `group_by`: what the entries have; null: nothing' })
    .optional(),
  stock: z.strictObject({ ACTIVE: flowField, SUSPENDED: flowField, DELETED: flowField }),
  new: flowField.meta({ description: 'Entries that came to stand; null: a baseline' }),
  ended: flowField.meta({ description: 'Entries that no longer stand' }),
  suspended: flowField.meta({ description: 'Entries that went from ACTIVE to SUSPENDED' }),
  resumed: flowField.meta({ description: 'Entries that went from SUSPENDED to ACTIVE' }),
  is_baseline: z.boolean(),
  births: flowField.meta({
    description: 'New entries that the registry never had before',
  }),
  returns: flowField.meta({
    description: 'New entries that the registry had before; new = births + returns',
  }),
  moved_in: flowField.meta({
    description: 'Standing entries that came from another voivodeship, section or form',
  }),
  moved_out: flowField.meta({ description: 'Standing entries that left for another one' }),
  recoded_in: flowField.meta({
    description: 'Standing entries that came from another section by recoding alone',
  }),
  recoded_out: flowField.meta({ description: 'Standing entries that left by recoding alone' }),
  days_covered: flowField.meta({
    description: 'Days since the snapshot before; by month the sum; null: a baseline',
  }),
  days_with_data: countField.meta({ description: 'Snapshots in the point' }),
  is_partial: z.boolean().meta({
    description:
      'By month: some days of the month are not compared. They lie before the snapshot that its first one is compared with, or after its last one, or outside `from` and `to`',
  }),
  is_suppressed: z.boolean().meta({
    description: 'Whether a count is null because the operator hides small ones',
  }),
});

export type Point = z.output<typeof point>;
