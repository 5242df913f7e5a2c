import type { IncomingMessage, ServerResponse } from 'node:http';
import { raise } from '../domain/kernel/refusals.js';
import type { Scope } from '../domain/scopes.js';
import { callerOf } from './request-context.js';

/** Checks that the API key of the request has the scope. Throws INSUFFICIENT_SCOPE. */
export const requireScope = (request: IncomingMessage, scope: Scope): void => {
  if (!callerOf(request).key.scopes.includes(scope))
    raise('INSUFFICIENT_SCOPE', `This operation requires the scope "${scope}".`, { scope });
};

/** Throws METHOD_NOT_ALLOWED and sets `Allow`. */
export const refuseMethod = (response: ServerResponse, methods: Iterable<string>): never => {
  const allow = [...methods].join(', ');
  response.setHeader('Allow', allow);
  return raise('METHOD_NOT_ALLOWED', `Method not allowed. Allowed: ${allow}.`);
};
