import type { components } from 'rollgate/client';

/** A schema of the OpenAPI document: `Schema<'User'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

export type OperatorRole = Schema<'Operator'>['role'];
