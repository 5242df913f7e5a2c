import type { JsonValue } from '../../../domain/json.js';
import type { Operation } from '../../openapi/operation.js';

/** What stands in the examples for what every reader has another value of. */
const VARIABLES: Readonly<Record<string, string>> = { tenantSlug: 'acme', slug: 'acme' };
const SOME_ID = '6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f';

const tokenOf = ({ security }: Operation): string =>
  security.some((scheme) => 'adminToken' in scheme) ? '$ROLLGATE_ADMIN_TOKEN' : '$ROLLGATE_API_KEY';

/** Inside single quotes nothing has a meaning to a shell but the single quote itself. */
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The command line that makes a request of this operation. */
export const curlOf = (
  url: string,
  method: string,
  operation: Operation,
  body: JsonValue | undefined,
): string => {
  const address = url.replaceAll(
    /\{(\w+)\}/g,
    (_match, name: string) => VARIABLES[name] ?? SOME_ID,
  );
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${quote(address)}`,
    `-H "Authorization: Bearer ${tokenOf(operation)}"`,
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quote(JSON.stringify(body))}`]),
  ];
  return lines.join(' \\\n  ');
};
