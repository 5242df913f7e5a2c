import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  type IfMatch,
  meetsPrecondition,
  type Versions,
  raise,
} from '../domain/kernel/refusals.js';

/** The entity tag of a version (RFC 9110, 8.8.3). Weak: the bytes of equal versions may differ. */
export const etagOf = (version: number): string => `W/"${version}"`;

const TAG = /(?:W\/)?"([^"]*)"|([^\s",]+)/g;
const VERSION = /^[1-9]\d{0,14}$/;

/**
 * The versions in a list of entity tags. `W/` and missing quotes are ignored, because SCIM clients
 * send what they find in `meta.version`. Tags that are not versions match nothing.
 */
const versionsIn = (header: string): readonly number[] =>
  Array.from(header.matchAll(TAG), ([, quoted, bare]) => quoted ?? bare ?? '')
    .filter((tag) => VERSION.test(tag))
    .map(Number);

const readVersions = (header: string | undefined): Versions | undefined => {
  const text = header?.trim();
  if (text === undefined) return undefined;
  return text === '*' ? '*' : versionsIn(text);
};

/**
 * The precondition of a write, from If-Match and If-None-Match; undefined if there is none.
 * `If-None-Match: *` requires that the resource does not exist (RFC 9110, 13.1.2).
 */
export const readPrecondition = (headers: IncomingHttpHeaders): IfMatch | undefined => {
  const wanted = readVersions(headers['if-match']);
  const unwanted = readVersions(headers['if-none-match']);
  if (unwanted === undefined) return wanted;
  if (unwanted === '*') return [];
  if (wanted === undefined || wanted === '*') return { noneOf: unwanted };
  return wanted.filter((version) => !unwanted.includes(version));
};

/** The precondition as a part of a command. */
export const precondition = (ifMatch: IfMatch | undefined): { readonly ifMatch?: IfMatch } =>
  ifMatch === undefined ? {} : { ifMatch };

/**
 * Evaluates the preconditions of a read (RFC 9110, 13.1); those of a write are the decider's. Throws
 * PRECONDITION_FAILED. Returns true if the client already has this version, which means 304.
 */
export const isNotModified = (
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  version: number,
): boolean => {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (!meetsPrecondition(version, readVersions(headers['if-match']))) raise('PRECONDITION_FAILED');
  const known = readVersions(headers['if-none-match']);
  return known !== undefined && (known === '*' || known.includes(version));
};
