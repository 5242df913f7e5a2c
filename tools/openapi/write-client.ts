import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const DOCUMENT = new URL('../../openapi.json', import.meta.url);
const FILE = new URL('../../src/client/openapi.ts', import.meta.url);

const HEAD = '/** Generated from openapi.json by `npm run client`; do not edit. */\n\n';

/** The text of src/client/openapi.ts. */
export const writeClientTypes = async (): Promise<string> => {
  const nodes = await openapiTS(readFileSync(DOCUMENT, 'utf8'), {
    immutable: true,
    // Any JSON: the compiler refuses its recursion with readonly arrays.
    transform: (_schema, { path }) =>
      /\/__schema\d+$/.test(path ?? '')
        ? ts.factory.createKeywordTypeNode(ts.SyntaxKind.UnknownKeyword)
        : undefined,
  });
  return HEAD + astToString(nodes).replaceAll('    ', '  ');
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(FILE, await writeClientTypes());
