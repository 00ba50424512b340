import { change } from './change.ts';
import { deliveries } from './deliveries.ts';
import { get, list, remove } from './list-and-delete.ts';
import { register } from './register.ts';
import { replay, test } from './replay-and-test.ts';
import { rotate } from './rotate.ts';

const ofOne = [get, change, remove, rotate, test, replay, deliveries];

export const webhookEndpoints = [register, list, ...ofOne];
