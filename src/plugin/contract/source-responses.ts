import type { z } from 'zod';
import { endOfString, parseExactJson } from './exact-json.js';
import {
  type SourceCheck,
  SourceError,
  type SourceErrorKind,
  type SourceResponse,
} from './connector-contract.js';

/** Whose response it is, for error messages. */
export interface ResponseContext {
  /** The name of the source, as operators know it. */
  readonly source: string;
  /** What to do about a status, such as `{401: 'Create another API key.'}`. */
  readonly hints?: Readonly<Record<number, string>>;
  /** What the source said about it, in a few words; no secrets. */
  readonly detail?: string;
}

/** Returns if the status is 2xx; throws a SourceError otherwise. */
export const requireOk = ({ status }: { readonly status: number }, context: ResponseContext) => {
  if (status >= 200 && status < 300) return;
  const { source, hints = {}, detail } = context;
  const said = detail ? ` (${detail.slice(0, 200)})` : '';
  const hint = hints[status] ?? HINTS[status] ?? hintOf(status);
  throw new SourceError(kindOf(status), `${source} responded with ${status}${said}. ${hint}`);
};

const HINTS: Readonly<Record<number, string>> = {
  304:
    'The list has not changed since an earlier request, but this one did not ask for that: check a ' +
    'cache or proxy in between.',
  401: 'Check the credentials.',
  403: 'The credentials are valid, but may not read this.',
  429: 'Run the connector less often.',
};

/** An error of the source is no error of the settings. */
const hintOf = (status: number): string => {
  if (status >= 500) return 'The fault is at the source; the next run tries again.';
  if (status >= 300 && status < 400)
    return 'It redirects to another host, which is not followed: often to a page to sign in. Check address and credentials.';
  return 'Check the settings of the connector.';
};

const kindOf = (status: number): SourceErrorKind => {
  if (status === 401) return 'auth';
  if (status === 403) return 'permission';
  if (status === 429) return 'rate-limit';
  return status >= 500 || status === 408 ? 'network' : 'config';
};

/**
 * The parsed body of a 2xx response. Throws a SourceError for another status, a body that is cut or has
 * more than 500,000 values (use `streamJsonArray`), and data that does not match the schema; its message
 * names the field, never a value.
 */
export const readSourceJson = <T>(
  response: SourceResponse,
  schema: z.ZodType<T>,
  context: ResponseContext,
): T => {
  requireOk(response, context);
  const result = schema.safeParse(parseJson(response.body, context.source));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const fault = issue ? faultOf(issue) : 'is malformed';
  throw new SourceError(
    'schema',
    `${context.source} sent other data than expected: ` +
      `${issue?.path.length ? `"${issue.path.join('.')}"` : 'the response'} ${fault}.`,
  );
};

const TYPES: Readonly<Record<string, string>> = {
  ...{ array: 'a list', object: 'an object', string: 'text', number: 'a number' },
  ...{ int: 'a whole number', boolean: 'true or false' },
};

/** The validator's own texts are about its types. */
const faultOf = (issue: z.core.$ZodIssue): string => {
  if (issue.code !== 'invalid_type')
    return `is not as expected (${issue.code.replaceAll('_', ' ')})`;
  const type = TYPES[issue.expected] ?? issue.expected;
  return issue.message.endsWith('received undefined')
    ? `is missing, where ${type} is expected`
    : `is not ${type}`;
};

/** Of one response, in JSON: what is parsed takes far more memory than its text. */
const MAX_VALUES = 500_000;
const MAX_DEPTH = 64;

const parseJson = (body: string, source: string): unknown => {
  const excess = excessOfJson(body);
  if (excess !== undefined)
    throw new SourceError('schema', `${source} sent a response that ${excess}.`);
  try {
    return parseExactJson(body);
  } catch {
    // The error of JSON.parse quotes the body.
    throw new SourceError('schema', `${source} sent a response that is cut or is not JSON.`);
  }
};

/** Why a text is too much to parse, found without parsing it; undefined if it is not. */
const excessOfJson = (text: string): string | undefined => {
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1)
    switch (text[at]) {
      case '"':
        at = endOfString(text, at);
        break;
      case '[':
      case '{':
        depth += 1;
        values += 1;
        if (depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
        break;
      case ']':
      case '}':
        depth -= 1;
        break;
      case ',':
        values += 1;
        if (values > MAX_VALUES) return `has more than ${MAX_VALUES.toLocaleString('en')} values`;
        break;
      default:
    }
  return undefined;
};

/**
 * Runs a check: what it returns is the message of a success, a SourceError that it throws is the
 * result of a failure.
 */
export const checkSource = async (check: () => Promise<string>): Promise<SourceCheck> => {
  try {
    return { ok: true, message: await check() };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { ok: false, kind: error.kind, message: error.message };
  }
};
