import { expect, test } from 'vitest';
import { EnvironmentError } from '../sql/process/environment.ts';
import { readEnvironment } from './environment.ts';

test('NAF2025_FROM is the day that INSEE has announced, or the one that is given', () => {
  const read = (NAF2025_FROM?: string) => readEnvironment({ NAF2025_FROM }).recodedFrom;
  expect(read()).toEqual({ NAF2025: '2027-01-05' });
  expect(read('')).toEqual({ NAF2025: '2027-01-05' });
  expect(read('2027-02-01')).toEqual({ NAF2025: '2027-02-01' });
});

test.each(['5 January 2027', '2027-02-30', '20270105'])('NAF2025_FROM may not be %s', (day) => {
  const read = () => readEnvironment({ NAF2025_FROM: day });
  expect(read).toThrow(EnvironmentError);
  expect(read).toThrow('NAF2025_FROM must be a day YYYY-MM-DD.');
});
