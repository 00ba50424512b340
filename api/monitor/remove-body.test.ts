import { beforeAll, describe, expect, test } from 'vitest';
import { createFirstDay } from '../../fixtures/dump/night.ts';
import { createSubmitter, type Submitter } from '../../fixtures/client/submitter.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const { database, api } = await useApi({}, createFirstDay);

const path = 'DELETE /companies/watched';
const [bakery, zoo] = ['1000201006', '1001401003'];

describe('DELETE /api/v1/companies/watched with what is wrong', () => {
  let submitter: Submitter;
  beforeAll(async () => {
    submitter = await createSubmitter(database, api);
    await submitter.add('NIP', bakery);
  });
  const list = [bakery];
  const differs =
    'The value field must say the same as identifier_value, and name the same as identifier_type.';

  test.each<[object, Record<string, string>]>([
    [
      {},
      {
        identifier_type: 'The identifier_type field is required.',
        identifier_value: 'The identifier_value field is required.',
      },
    ],
    [{ name: 'NIP' }, { value: 'The value field is required with name.' }],
    [{ value: list }, { name: 'The name field is required with value.' }],
    [
      { identifier_type: 'NIP', value: list },
      {
        identifier_value: 'The identifier_value field is required with identifier_type.',
        name: 'The name field is required with value.',
      },
    ],
    [
      { identifier_type: 'NIP', identifier_value: list, name: 'NIP' },
      { value: 'The value field is required with name.' },
    ],
    [
      { identifier_type: 'NIP', identifier_value: list, name: 'NIP', value: [zoo] },
      { value: differs },
    ],
    [
      { identifier_type: 'NIP', identifier_value: list, name: 'NIP', value: [bakery, zoo] },
      { value: differs },
    ],
    [
      {
        identifier_type: 'NIP',
        identifier_value: ['1000201006'],
        name: 'KRS',
        value: ['1000201006'],
      },
      { value: differs },
    ],
    [
      { name: 'NIP', value: [bakery, '1000201007'] },
      {
        'value.1':
          'The value.1 field must be a NIP: ten digits, the last of which is the check digit.',
      },
    ],
    [{ name: 'NIP', value: [] }, { value: 'The value field must have at least 1 item.' }],
    [
      { name: 'NIP', value: Array.from({ length: 101 }, () => bakery) },
      { value: 'The value field must not have more than 100 items.' },
    ],
    [
      { name: 'PESEL', value: list },
      { name: 'The name field must be one of NIP, REGON9, KRS, SIREN, SIRET, RNA.' },
    ],
    [{ name: 'NIP', value: bakery }, { value: 'The value field must be a list.' }],
    [{ name: 'NIP', value: list, all: true }, { all: 'The all field is unknown.' }],
  ])('422 for %j', async (body, errors) => {
    const answer = await submitter.ask(path, body);
    expect(answer).toMatchObject({ status: 422 });
    expect((answer.body as { errors: object }).errors).toEqual(
      Object.fromEntries(Object.entries(errors).map(([field, message]) => [field, [message]])),
    );
  });

  test('removes nothing', async () => {
    expect(await submitter.list()).toHaveLength(1);
  });
});
