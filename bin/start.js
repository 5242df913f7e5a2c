import { isSupportedNode } from './supported-node.js';

/** `npm start`. */
if (isSupportedNode()) void import('./run-built.js').then(({ runBuilt }) => runBuilt('main'));
