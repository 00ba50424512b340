import { create } from './create.ts';
import { get, list, rename } from './list-and-rename.ts';
import { revoke } from './revoke.ts';
import { rotate } from './rotate.ts';
import { verify } from './verify.ts';

/** Lists the endpoints of tokens. All endpoints except `verify` need the Master Token. */
export const tokenEndpoints = [create, list, verify, get, rename, revoke, rotate];
