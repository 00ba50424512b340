// What `npm start` runs, under any Node.
import { launch } from '../pipeline/launch.js';

// `npm` that is killed sends no signal.
const { ppid } = process;
setInterval(() => {
  if (process.ppid !== ppid) process.kill(process.pid, 'SIGTERM');
}, 500).unref();
await launch(new URL('start.ts', import.meta.url));
