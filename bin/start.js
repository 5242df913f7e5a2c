import process from 'node:process';
import { isSupportedNode } from './supported-node.js';

/** `npm start`; with options, as in `npm start -- --help`, it is `rollgate serve` with them. */
const options = process.argv.slice(2);
if (options.length > 0) process.argv.splice(2, Infinity, 'serve', ...options);
if (isSupportedNode())
  void import('./run-built.js').then(({ runBuilt }) =>
    runBuilt(options.length > 0 ? 'cli' : 'main'),
  );
