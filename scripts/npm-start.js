// What `npm start` runs, under any Node.
import { launch } from '../pipeline/launch.js';

await launch(new URL('start.ts', import.meta.url));
