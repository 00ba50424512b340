import { z } from 'zod';
import { companyStatus, identifier } from './identifier.ts';

export const addressField = z
  .strictObject({
    street: z.string(),
    building: z.string(),
    apartment: z.string(),
    city: z.string(),
    postal_code: z.string(),
    voivodeship: z.string(),
    country_code: z.string(),
  })
  .meta({
    id: 'Address',
    description: 'An address; a part that the registry does not know is an empty string.',
  });

const datesField = z.array(
  z
    .strictObject({
      type: z.string().meta({ description: 'What happened on that day, in Polish.' }),
      date: z.iso.date(),
    })
    .meta({ id: 'LabelledDate', description: 'A day in the life of a company or of a unit.' }),
);

const unit = z
  .strictObject({
    identifier: z.string().meta({ description: 'The number of the unit, such as its REGON.' }),
    name: z.string(),
    address: addressField,
    dates: datesField,
  })
  .meta({ id: 'Unit', description: 'A local unit of the company.' });

const activity = z
  .strictObject({ code: z.string(), name: z.string(), is_primary: z.boolean() })
  .meta({ id: 'Activity', description: 'A kind of business that a company does.' });

const profile = z
  .strictObject({
    source: z.string().meta({ description: 'The registry: `ceidg`, `regon` or `krs`' }),
    name: z.string(),
    status: companyStatus,
    legal_form: z.string(),
    address: addressField,
    units: z.array(unit),
    contacts: z.array(
      z.strictObject({ type: z.enum(['phone', 'email', 'fax', 'e_delivery']), value: z.string() }),
    ),
    activities: z.array(activity),
    dates: datesField,
    websites: z.array(z.strictObject({ type: z.literal('website'), value: z.string() })),
  })
  .meta({ id: 'Profile', description: 'What one registry entry says of the company.' });

const company = z
  .strictObject({
    identity: z.strictObject({
      identifiers: z.array(identifier),
      company_type: z.string(),
      country_code: z.string(),
    }),
    profiles: z.array(profile),
    persons: z.array(
      z
        .strictObject({ full_name: z.string(), role: z.string() })
        .meta({ id: 'Person', description: 'A person with a role in the company.' }),
    ),
  })
  .meta({ id: 'Company', description: 'What the registries say of a company.' });

export const snapshotAnswer = z.strictObject({
  status: z.literal('success'),
  data: company,
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
