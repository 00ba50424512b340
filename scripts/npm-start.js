// Starts the product for `npm start`. This file, npm-start.js, must run under any version of Node.
import { launch } from '../pipeline/launch.js';

await launch(new URL('start.ts', import.meta.url));
