import { end } from './end.ts';
import { init } from './init.ts';
import { changeProfile, readProfile } from './profile.ts';
import { confirm, recover } from './recover.ts';
import { register } from './register.ts';

/** Lists the endpoints for the registration, initialization, recovery, profile and deletion of an account. */
export const accountEndpoints = [register, init, recover, confirm, readProfile, changeProfile, end];
