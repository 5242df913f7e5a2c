import { readFileSync } from 'node:fs';
import process from 'node:process';
import { URL } from 'node:url';

/**
 * Programs call this before they import anything else. It is written, as they are, in syntax that
 * Node.js 12 reads: an old version would otherwise print the code that it cannot read.
 */

/** Whether this Node.js can run Rollgate. If not, a message is on standard error. */
export const isSupportedNode = () => {
  /** @type {{ readonly engines: { readonly node: string } }} */
  // eslint-disable-next-line @typescript-eslint/no-unsafe-assignment
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const range = manifest.engines.node;
  if (range.split('||').some((part) => part.trim().split(' ').every(holds))) return true;
  process.stderr.write(
    `Rollgate needs Node.js ${range}, but this is ${process.version}. Install a supported version.\n`,
  );
  process.exitCode = 1;
  return false;
};

/**
 * Whether this version is within a bound of package.json, `>=20.19` or `<21`.
 * @param {string} bound
 */
const holds = (bound) => {
  const [major = 0, minor = 0] = process.version.slice(1).split('.').map(Number);
  const [limitMajor = 0, limitMinor = 0] = bound.replace(/^\D+/, '').split('.').map(Number);
  const isAtLeast = major > limitMajor || (major === limitMajor && minor >= limitMinor);
  return bound.startsWith('<') ? !isAtLeast : isAtLeast;
};
