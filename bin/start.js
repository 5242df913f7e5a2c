import { URL } from 'node:url';
import { ensureBuilt } from './ensure-built.js';

/** `npm start`. */
if (ensureBuilt()) await import(new URL('../dist/src/main.js', import.meta.url).href);
