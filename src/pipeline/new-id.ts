import { randomUUID } from 'node:crypto';
import type { AnyId } from '../domain/ids.js';

/** A new id of the kind that is wanted where it is used. Ids are made at the edge, never in deciders. */
// The kind is the caller's word, as with any branded type: it is what this function is for.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export const newId = <Id extends AnyId>(): Id => randomUUID() as string as Id;
