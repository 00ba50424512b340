import { expect, test } from 'vitest';
// @ts-expect-error The browser runs this file, which has no types.
import { readNumbers as read } from '../html/assets/console/numbers.js';

type Found = { good: string[]; bad: [string, string][] };
const readNumbers = read as (text: string, type: string, options: object[]) => Found;

const options = [
  { value: 'NIP', dataset: { country: 'PL', length: 10, letters: '' } },
  { value: 'RNA', dataset: { country: 'FR', length: 10, letters: 'W' } },
];
const wrong = (text: string) => [text, 'has more than digits.'];

test.for([
  ['NIP', 'NIP 526-025-02-74, x12', ['5260250274'], [wrong('x12')]],
  ['NIP', '100 140 60 06 5260250274 12', ['1001406006', '5260250274', '12'], []],
  ['RNA', 'W112099001; w9R1 000-001', ['W112099001', 'W9R1000001'], []],
  ['RNA', 'RNA: W112099001\n"FR W9R2000002"', ['W112099001', 'W9R2000002'], []],
  ['RNA', 'W112099001 9R1 W9R2000002 12', ['W112099001', 'W9R1', 'W9R2000002', 'W12'], []],
  ['RNA', 'W1120990%1, Warszawa 24', [], [wrong('W1120990%1'), wrong('Warszawa 24')]],
] as const)('reads the pasted numbers of the type %s in %s', ([type, text, good, bad]) => {
  expect(readNumbers(text, type, options)).toEqual({ good, bad });
});
