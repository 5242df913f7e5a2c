import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeReadError } from '../../config/config-error.js';

const MAX_BYTES = 65_536;

/**
 * The operator's logo, an SVG: the one format of pictures that is text. Browsers show it as a picture,
 * in which no script runs. Throws an Error that says what is wrong with the file.
 */
export const readLogo = (file: string, cwd: string): string => {
  const path = resolve(cwd, file);
  let text: string;
  try {
    const found = statSync(path);
    // A pipe or a device may have no end.
    if (!found.isFile()) throw new RangeError('this is not a regular file');
    if (found.size > MAX_BYTES) throw new RangeError('the file is larger than 64 KiB');
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new Error(describeReadError('the file', error), { cause: error });
  }
  if (!/^\uFEFF?\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*<svg[\s>]/.test(text))
    throw new Error('the file is not an SVG');
  return text;
};
