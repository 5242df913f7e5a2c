import { URL } from 'node:url';
import { ensureBuilt } from './ensure-built.js';

/**
 * Runs a program of `dist/`, which is built if needed.
 * @param {'cli' | 'main'} program
 */
export const runBuilt = async (program) => {
  if (await ensureBuilt()) await import(new URL(`../dist/src/${program}.js`, import.meta.url).href);
};
