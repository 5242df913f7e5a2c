#!/usr/bin/env node
import { URL } from 'node:url';
import { ensureBuilt } from './ensure-built.js';

/** The `rollgate` command. */
if (ensureBuilt()) await import(new URL('../dist/src/cli.js', import.meta.url).href);
