import type { Connection } from '../domain/tenant/connection.js';
import type { FailedAuthentication, FailureReason } from '../ports/connections.js';
import type { ApiKeyWithUse } from '../ports/tenants.js';

/** A key and what is known of its requests. */
export interface ConnectionOfKey {
  readonly key: ApiKeyWithUse['key'];
  readonly connection: Connection;
}

const SCIM_SCOPES: ReadonlySet<string> = new Set(['scim:read', 'scim:write']);

/** Whether the key is for an identity provider. */
export const isForProvider = ({ key }: Pick<ConnectionOfKey, 'key'>): boolean =>
  key.scopes.some((scope) => SCIM_SCOPES.has(scope));

/** What is wrong, and what to do. */
const FAILURES: Readonly<Record<FailureReason, readonly [problem: string, remedy: string]>> = {
  no_key: ['The request has no API key.', 'Enter a key there, as a bearer token.'],
  malformed_key: [
    'This is not an API key, or a part of it is missing.',
    'Copy the whole key, or create one.',
  ],
  unknown_key: ['There is no such key.', 'Enter a key of this tenant, or create one.'],
  deleted_key: [
    'The key was deleted.',
    'Enter another key in the identity provider or program that uses it; create one if there is none.',
  ],
  expired_key: ['The key has expired.', 'Create a key and enter it.'],
  other_tenant: [
    'The key belongs to another tenant.',
    'Check the tenant in the URL, or enter a key of this tenant.',
  ],
  other_client: [
    'The client id is not the id of the key that is the client secret.',
    'Enter the id of this key as the client id.',
  ],
  tokens_off: [
    'The tenant issues no access tokens.',
    'Enter the key itself as a bearer token, or switch on `scim.access_tokens`.',
  ],
  ended_token: ['The access token has ended, or its key was deleted.', 'Fetch a new token.'],
  missing_scope: ['The key lacks the scope.', 'Create a key that has it.'],
};

/** Why the requests were not authenticated, and what to do. */
export const failureInWords = ({
  reason,
  scope,
}: Pick<FailedAuthentication, 'reason' | 'scope'>) => {
  const [problem, remedy] = FAILURES[reason];
  const named = scope === null ? problem : problem.replace('the scope', `the scope "${scope}"`);
  return { problem: named, remedy };
};
