import type { IncomingHttpHeaders } from 'node:http';
import type { IfMatch } from '../domain/commands.js';

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

/** The precondition of If-Match, or undefined where there is none (RFC 9110, 13.1.1). */
export const readIfMatch = (headers: IncomingHttpHeaders): IfMatch | undefined => {
  const header = headers['if-match']?.trim();
  if (header === undefined) return undefined;
  return header === '*' ? '*' : versionsIn(header);
};

/** The part of a command that carries a precondition; nothing where there is none. */
export const precondition = (ifMatch: IfMatch | undefined): { readonly ifMatch?: IfMatch } =>
  ifMatch === undefined ? {} : { ifMatch };

/** Whether a resource of this version meets the precondition. */
export const meetsIfMatch = (ifMatch: IfMatch | undefined, version: number): boolean =>
  ifMatch === undefined || ifMatch === '*' || ifMatch.includes(version);

/** Whether the client holds this version already, by If-None-Match: then 304 (RFC 9110, 13.1.2). */
export const isHeldByClient = (headers: IncomingHttpHeaders, version: number): boolean => {
  const header = headers['if-none-match']?.trim();
  return header !== undefined && (header === '*' || versionsIn(header).includes(version));
};
