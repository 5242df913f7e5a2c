import { z } from 'zod';
import {
  idField,
  scopeField,
  instantField,
  lineField,
  PAGE_FIELDS,
  pageOf,
  timeField,
} from '../../routes/fields.js';
import { tenantRoute, type Route, runCommand } from '../../routes/route.js';
import type { ApiKeyWithUse } from '../../ports/tenants.js';
import { type ApiKeyId, parseApiKeyId } from '../../domain/kernel/ids.js';
import { raise } from '../../domain/kernel/refusals.js';
import type { Scope } from '../../domain/scopes.js';
import type { ApiKey } from '../../domain/tenant/tenant.js';
import { newId } from '../../pipeline/submit.js';
import { generateApiKey } from '../access/credentials.js';
import type { RouteParts } from './route-parts.js';

const tag = 'API keys';

/** A key that is unused for this long should be deleted. */
const UNUSED_MS = 90 * 24 * 3_600_000;

const fieldsOf = (scopes: readonly Scope[]) => ({
  key_id: idField("The key's id."),
  prefix: z.string().describe('First characters of the key, to recognise it by.'),
  description: z.string().describe('Label of the key.'),
  scopes: z.array(scopeField(scopes)),
  created_at: instantField('When the key was created.'),
  expires_at: instantField('When the key stops working; null: never.').nullable(),
});

const apiKeyView = (scopes: readonly Scope[]) =>
  z
    .strictObject({
      ...fieldsOf(scopes),
      last_used_at: instantField(
        'When the key was last used, accurate to a minute; null if never.',
      ).nullable(),
      is_unused: z.boolean().describe('Not used for 90 days, nor created within them.'),
    })
    .meta({ id: 'ApiKey' });

/** A key in the only response that shows it. */
export const createdApiKey = (scopes: readonly Scope[]): z.ZodType =>
  z
    .strictObject({
      ...fieldsOf(scopes),
      key: z.string().describe('The key itself. Returned only in this response.'),
    })
    .meta({ id: 'CreatedApiKey' });

const newApiKey = (scopes: readonly Scope[]) =>
  z
    .strictObject({
      description: lineField(256),
      scopes: z
        .array(scopeField(scopes))
        .min(1)
        .refine((given) => new Set(given).size === given.length, 'must not name a scope twice')
        .meta({ uniqueItems: true, description: 'A write scope does not imply read.' }),
      expires_at: timeField()
        .nullable()
        .optional()
        .describe('When the key stops working, in the future. Null or absent: never.'),
    })
    .meta({ id: 'ApiKeyInput' });

/** Scopes of a disabled plugin are not known. */
export const presentApiKey = (key: ApiKey, known: readonly Scope[]) => ({
  key_id: key.id,
  prefix: key.prefix,
  description: key.description,
  scopes: key.scopes.filter((scope) => known.includes(scope)),
  created_at: key.createdAt.toISOString(),
  expires_at: key.expiresAt?.toISOString() ?? null,
});

const present = (
  { key, lastUsedAt }: ApiKeyWithUse,
  known: readonly Scope[],
  now: Date,
): z.output<ReturnType<typeof apiKeyView>> => ({
  ...presentApiKey(key, known),
  last_used_at: lastUsedAt?.toISOString() ?? null,
  is_unused: now.getTime() - (lastUsedAt ?? key.createdAt).getTime() >= UNUSED_MS,
});

const createApiKey = ({ extensions }: RouteParts): Route =>
  tenantRoute({
    method: 'POST',
    path: '/api-keys',
    operationId: 'createApiKey',
    audit: 'created the API key',
    stepUp: true,
    tag,
    summary: 'Create an API key',
    command: 'api-key.create',
    description: 'Store the key: only this response contains it. Rollgate keeps a hash.',
    body: newApiKey(extensions.scopes),
    responses: { 201: { description: 'The key.', body: createdApiKey(extensions.scopes) } },
    handler: async (request) => {
      const { description, scopes, expires_at: expiresAt } = request.body;
      const { id } = request.caller.tenant;
      const { key, prefix, hash } = generateApiKey();
      const created = await runCommand(request, id, {
        type: 'api-key.create',
        keyId: newId<ApiKeyId>(),
        hash,
        prefix,
        description,
        scopes,
        ...(expiresAt && { expiresAt: new Date(expiresAt) }),
      });
      return { status: 201, body: { ...presentApiKey(created, extensions.scopes), key } };
    },
  });

const listApiKeys = ({ apiKeys, extensions: { scopes }, now }: RouteParts): Route =>
  tenantRoute({
    method: 'GET',
    path: '/api-keys',
    operationId: 'listApiKeys',
    tag,
    summary: 'List API keys',
    query: z.strictObject(PAGE_FIELDS),
    responses: {
      200: {
        description: 'A page of keys.',
        body: pageOf('api_keys', apiKeyView(scopes), 'ApiKeyList'),
      },
    },
    handler: async ({ caller: { tenant }, query }) => {
      const page = await apiKeys.page(tenant.id, query);
      return {
        status: 200,
        body: {
          api_keys: page.items.map((key) => present(key, scopes, now())),
          total: page.total,
          ...query,
        },
      };
    },
  });

const deleteApiKey = ({ keys }: RouteParts): Route =>
  tenantRoute({
    method: 'DELETE',
    path: '/api-keys/{keyId}',
    operationId: 'deleteApiKey',
    audit: 'deleted an API key',
    stepUp: true,
    tag,
    summary: 'Delete an API key',
    command: 'api-key.delete',
    description: 'Takes effect within 1 s on all instances.',
    params: z.object({ keyId: idField("The key's id.") }),
    responses: { 204: { description: 'The key was deleted.' } },
    refusals: ['API_KEY_NOT_FOUND'],
    handler: async (request) => {
      const { id } = request.caller.tenant;
      const keyId = keyIdIn(request.params.keyId);
      await runCommand(request, id, { type: 'api-key.delete', keyId });
      keys.invalidateKey(keyId);
      return { status: 204 };
    },
  });

const allowRemovals = (_parts: RouteParts): Route =>
  tenantRoute({
    method: 'POST',
    path: '/api-keys/{keyId}/allow-removals',
    operationId: 'allowRemovals',
    audit: 'lifted the limit of removals',
    role: 'operator',
    stepUp: true,
    tag,
    summary: 'Lift the limit of removals of an API key',
    command: 'api-key.allow-removals',
    description:
      'For an hour, the key may deactivate and delete any number of users, and remove any number of ' +
      "members from groups. After that, the tenant's `scim.max_removals_per_hour` applies again.",
    params: z.object({ keyId: idField("The key's id.") }),
    responses: {
      200: {
        description: 'The limit is lifted.',
        body: z
          .strictObject({
            key_id: idField("The key's id."),
            allowed_until: instantField('When the limit applies again.'),
          })
          .meta({ id: 'AllowedRemovals' }),
      },
    },
    refusals: ['API_KEY_NOT_FOUND'],
    handler: async (request) => {
      const { id } = request.caller.tenant;
      const keyId = keyIdIn(request.params.keyId);
      const allowedUntil = await runCommand(request, id, {
        type: 'api-key.allow-removals',
        keyId,
      });
      return { status: 200, body: { key_id: keyId, allowed_until: allowedUntil.toISOString() } };
    },
  });

export const keyIdIn = (text: string): ApiKeyId =>
  parseApiKeyId(text) ?? raise('API_KEY_NOT_FOUND');

/** A tenant's API keys (decisions.md 8). */
export const apiKeyRoutes = (parts: RouteParts): readonly Route[] =>
  [createApiKey, listApiKeys, deleteApiKey, allowRemovals].map((declare) => declare(parts));
