import type { components } from 'rollgate/client';

/** A schema of the OpenAPI document: `Schema<'User'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

export type OperatorRole = Schema<'Operator'>['role'];

/** Of a session: the administrator of a customer, who has a setup link, may do less than any operator. */
export type Role = OperatorRole | 'setup';
