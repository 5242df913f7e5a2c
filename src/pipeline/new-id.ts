import { randomUUID } from 'node:crypto';
import type { AnyId } from '../domain/kernel/ids.js';

/** A new id of the type that the call site expects. Deciders never call it: they must be pure. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export const newId = <Id extends AnyId>(): Id => randomUUID() as string as Id;
