#!/usr/bin/env node
import { isSupportedNode } from './supported-node.js';

/** The `rollgate` command. */
if (isSupportedNode()) void import('./run-built.js').then(({ runBuilt }) => runBuilt('cli'));
