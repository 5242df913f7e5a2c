import { z } from 'zod';

/** Headers that a registration may have sent along with every delivery. */
export const MAX_HEADERS = 10;

/** RFC 9110, 5.6.2. */
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
/** RFC 9110, 5.5, without what is obsolete there. */
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]{0,2046}[\x21-\x7e])?$/;

/** Those of a connection (RFC 9110, 7.6.1), and those that say what a delivery is. */
const RESERVED = new Set([
  'connection',
  'date',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
]);
const RESERVED_PREFIXES = ['accept-', 'content-', 'proxy-', 'webhook-', 'x-service-'];

const isAllowed = (name: string): boolean => {
  const lower = name.toLowerCase();
  return !RESERVED.has(lower) && !RESERVED_PREFIXES.some((family) => lower.startsWith(family));
};

const name = z
  .string()
  .regex(TOKEN, 'must be the name of a header')
  .refine(isAllowed, 'is a header that deliveries set themselves');

const value = z
  .string()
  .regex(VALUE, 'must be 1 to 2,048 printable ASCII characters, none of them a space at an end');

const isEachOnce = (headers: Readonly<Record<string, unknown>>): boolean => {
  const names = Object.keys(headers).map((each) => each.toLowerCase());
  return new Set(names).size === names.length && names.length <= MAX_HEADERS;
};

const eachOnce = `must name each header once, and ${MAX_HEADERS} at most`;
const about = 'Values are stored encrypted and never returned.';

/** What a new registration is to send along. */
export const StaticHeaders = z
  .record(name, value)
  .refine(isEachOnce, eachOnce)
  .describe(`Headers to send with every delivery, such as Authorization. ${about}`);

/** RFC 7396: null removes a header; headers that are not named stay. */
export const StaticHeaderChanges = z
  .record(name, value.nullable())
  .refine(isEachOnce, eachOnce)
  .describe(`Headers to add or replace, or to remove (null). ${about}`);

/** A header as a registration keeps it: its value sealed. */
export const SealedHeader = z.object({ name: z.string(), value: z.string() });
export type SealedHeader = z.output<typeof SealedHeader>;

/** Changes whose values are sealed; a name is one in whichever case it is written. */
export const mergeHeaders = (
  before: readonly SealedHeader[],
  changes: Readonly<Record<string, string | null>>,
): SealedHeader[] => {
  const changed = new Set(Object.keys(changes).map((each) => each.toLowerCase()));
  const added = Object.entries(changes).flatMap(([each, sealed]) =>
    sealed === null ? [] : [{ name: each, value: sealed }],
  );
  return [...before.filter((header) => !changed.has(header.name.toLowerCase())), ...added];
};
