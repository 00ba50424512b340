import { z } from 'zod';

const addressField = z.strictObject({
  street: z.string(),
  building: z.string(),
  apartment: z.string(),
  city: z.string(),
  postal_code: z.string(),
  voivodeship: z.string(),
  country_code: z.string(),
});

const datesField = z.array(
  z.strictObject({
    type: z.string().meta({ description: 'In Polish' }),
    date: z.iso.date(),
  }),
);

const profile = z.strictObject({
  source: z.string().meta({ description: 'The registry: `ceidg`, `regon` or `krs`' }),
  name: z.string(),
  status: z.enum(['ACTIVE', 'SUSPENDED', 'DELETED']),
  legal_form: z.string(),
  address: addressField,
  units: z.array(
    z.strictObject({
      identifier: z.string(),
      name: z.string(),
      address: addressField,
      dates: datesField,
    }),
  ),
  contacts: z.array(z.strictObject({ type: z.enum(['phone', 'email', 'fax']), value: z.string() })),
  activities: z.array(
    z.strictObject({ code: z.string(), name: z.string(), is_primary: z.boolean() }),
  ),
  dates: datesField,
  websites: z.array(z.strictObject({ type: z.literal('website'), value: z.string() })),
});

export const snapshotAnswer = z.strictObject({
  status: z.literal('success'),
  data: z.strictObject({
    identity: z.strictObject({
      identifiers: z.array(
        z.strictObject({ type: z.enum(['NIP', 'REGON9', 'KRS']), value: z.string() }),
      ),
      company_type: z.string(),
      country_code: z.string(),
    }),
    profiles: z.array(profile),
    persons: z.array(z.strictObject({ full_name: z.string(), role: z.string() })),
  }),
  meta: z.strictObject({ fetched_at: z.iso.datetime({ offset: true }) }),
});

export const snapshotExample = {
  status: 'success',
  data: {
    identity: {
      identifiers: [
        { type: 'NIP', value: '1000201006' },
        { type: 'REGON9', value: '990200011' },
      ],
      company_type: 'NATURAL',
      country_code: 'PL',
    },
    profiles: [
      {
        source: 'ceidg',
        name: 'Piekarnia Pod Wieżą Anna Żakowska',
        status: 'ACTIVE',
        legal_form: 'osoba fizyczna prowadząca działalność gospodarczą',
        address: {
          street: 'ul. Świdnicka',
          building: '12',
          apartment: '',
          city: 'Wrocław',
          postal_code: '50-066',
          voivodeship: 'dolnośląskie',
          country_code: 'PL',
        },
        units: [],
        contacts: [{ type: 'phone', value: '400202101' }],
        activities: [{ code: '1071Z', name: 'Produkcja pieczywa', is_primary: true }],
        dates: [{ type: 'Data rozpoczęcia działalności', date: '2012-03-01' }],
        websites: [],
      },
    ],
    persons: [{ full_name: 'Anna Żakowska', role: 'Właściciel' }],
  },
  meta: { fetched_at: '2026-11-06T05:00:00+00:00' },
};
