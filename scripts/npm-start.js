// Starts the product for `npm start`, in any version of Node. If the machine's Node is too old, `launch` starts the
// Node in node_modules.
import { launch } from '../pipeline/launch.js';

await launch(new URL('start.ts', import.meta.url));
