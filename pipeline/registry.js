#!/usr/bin/env node
// The command `registry`.
import { launch } from './launch.js';

await launch(new URL('main.ts', import.meta.url));
