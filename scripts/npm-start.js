// The entry point of `npm start`, which runs under any version of Node.
import { launch } from '../pipeline/launch.js';

await launch(new URL('start.ts', import.meta.url));
