import type { IncomingHttpHeaders } from 'node:http';
import { type IfMatch, meets, type Versions } from '../domain/precondition.js';

/** The entity tag of a version (RFC 9110, 8.8.3): weak, for the bytes may differ. */
export const etagOf = (version: number): string => `W/"${version}"`;

const TAG = /(?:W\/)?"([^"]*)"|([^\s",]+)/g;
const VERSION = /^[1-9]\d{0,14}$/;

/**
 * The versions that a list of entity tags names. `W/` and missing quotes are overlooked, as SCIM
 * clients send what they find in `meta.version`. A tag that is no version of ours matches nothing.
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

/** The precondition of If-Match, or undefined where there is none (RFC 9110, 13.1.1). */
const readIfMatch = (headers: IncomingHttpHeaders): Versions | undefined =>
  readVersions(headers['if-match']);

/**
 * What If-Match and If-None-Match ask of a resource that is to be changed, or undefined where nothing
 * is asked. If-None-Match of '*' wants nothing to be there at all (RFC 9110, 13.1.2).
 */
export const readPrecondition = (headers: IncomingHttpHeaders): IfMatch | undefined => {
  const [wanted, unwanted] = [readIfMatch(headers), readVersions(headers['if-none-match'])];
  if (unwanted === undefined) return wanted;
  if (unwanted === '*') return [];
  if (wanted === undefined || wanted === '*') return { noneOf: unwanted };
  return wanted.filter((version) => !unwanted.includes(version));
};

/** The part of a command that carries a precondition; nothing where there is none. */
export const precondition = (ifMatch: IfMatch | undefined): { readonly ifMatch?: IfMatch } =>
  ifMatch === undefined ? {} : { ifMatch };

/** Whether a resource of this version may be read. */
export const meetsIfMatch = (headers: IncomingHttpHeaders, version: number): boolean =>
  meets(version, readIfMatch(headers));

/** Whether the client holds this version already, by If-None-Match: then 304 (RFC 9110, 13.1.2). */
export const isHeldByClient = (headers: IncomingHttpHeaders, version: number): boolean => {
  const held = readVersions(headers['if-none-match']);
  return held !== undefined && (held === '*' || held.includes(version));
};
