import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath, pathToFileURL, URL } from 'node:url';

/**
 * `npm run client`: the types of the OpenAPI document, for `src/client`. They are not in the
 * repository, so the build and the checks begin with this; it does nothing if they are up to date.
 */

const DOCUMENT = new URL('../openapi.json', import.meta.url);
const FILE = new URL('../src/client/generated/openapi.ts', import.meta.url);

export const writeClientTypes = async () => {
  const sources = [DOCUMENT, new URL(import.meta.url)].map((url) => readFileSync(url, 'utf8'));
  const fingerprint = createHash('sha256').update(sources.join('')).digest('hex');
  const head = `/** Generated from openapi.json by \`npm run client\`; do not edit. ${fingerprint} */`;
  if (textOf(FILE).startsWith(head)) return;
  mkdirSync(new URL('.', FILE), { recursive: true });
  // At once, since checks may run at the same time.
  const part = `${fileURLToPath(FILE)}.${process.pid}`;
  writeFileSync(part, `${head}\n\n${await typesOf(sources[0] ?? '')}`);
  renameSync(part, FILE);
};

/** @param {URL} file */
const textOf = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** @param {string} document */
const typesOf = async (document) => {
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  const nodes = await openapiTS(document, { immutable: true });
  return astToString(nodes).replaceAll('    ', '  ');
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await writeClientTypes();
