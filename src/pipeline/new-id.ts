import { randomUUID } from 'node:crypto';
import type { AnyId } from '../domain/ids.js';

/** A new id of the kind that is wanted where it is used. Ids are made at the edge, never in deciders. */
export const newId = <Id extends AnyId>(): Id => randomUUID() as string as Id;
