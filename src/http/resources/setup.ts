import type { ApiKeyWithUse } from '../../ports/tenants.js';
import { raise } from '../../domain/kernel/refusals.js';
import { SETUP_STATES, SETUP_STEPS, setupSteps } from '../../explain/setup-steps.js';
import { z } from 'zod';
import { idField, instantField, textLike } from '../../routes/fields.js';
import { tenantRoute, type Route } from '../../routes/route.js';
import { toWire } from '../../routes/wire.js';
import type { ApiKeyId } from '../../domain/kernel/ids.js';
import { keyIdIn } from './api-keys.js';
import { identityProviderIn } from './attention.js';
import { keysOf } from './connections.js';
import { presentSeats, Seats } from './overview.js';
import type { RouteParts } from './route-parts.js';

const SetupView = z
  .strictObject({
    scim_url: textLike('https://gateway.example.com/v1/acme/scim/v2').describe(
      'The base URL to enter at the identity provider.',
    ),
    token_url: z
      .string()
      .nullable()
      .describe('Of short-lived tokens; null if the tenant has none (`scim.access_tokens`).'),
    provider: z.string().nullable().describe('Of the setup link; null for operators.'),
    tenant_name: z.string(),
    link_expires_at: instantField(
      'When the setup link stops working; null for operators.',
    ).nullable(),
    integrations: z
      .boolean()
      .describe('Whether the setup link allows integrations; true for operators.'),
    seats: Seats,
    key_id: idField(
      'The API key whose progress it is, and the client id for short-lived tokens.',
    ).nullable(),
    steps: z.array(
      z.strictObject({
        id: z.enum(SETUP_STEPS),
        state: z.enum(SETUP_STATES).describe('`failed`: it was tried, and refused.'),
        at: instantField('When it was done, or failed; null while it waits.').nullable(),
        detail: textLike('The API key "Okta".').describe('What happened, or what to do.'),
      }),
    ),
    last_error: z
      .strictObject({
        at: instantField('When the command was refused.'),
        error: z.string(),
        message: z.string(),
        command_id: idField("The command's id in the provisioning log."),
      })
      .nullable()
      .describe('The last refused command of the key; null if its last command succeeded.'),
  })
  .meta({ id: 'SetupProgress' });

const chosenKey = (
  keys: readonly ApiKeyWithUse[],
  id: ApiKeyId | null | undefined,
): ApiKeyWithUse | undefined => {
  if (id === null) return undefined;
  return id === undefined
    ? identityProviderIn(keys)
    : (keys.find(({ key }) => key.id === id) ?? raise('API_KEY_NOT_FOUND'));
};

/** The steps, and the newest command of the key. */
const progressOf = async (
  { commands }: Pick<RouteParts, 'commands'>,
  key: ApiKeyWithUse | undefined,
) => {
  if (!key) return { steps: setupSteps(undefined, [], undefined), newest: undefined };
  const { id, tenantId } = key.key;
  const [found, { entries }] = await Promise.all([
    commands.setupOf(tenantId, id),
    commands.page(tenantId, { actor: id, limit: 1 }),
  ]);
  const [newest] = entries;
  return { steps: setupSteps(key, found, newest), newest };
};

/** The progress of connecting an identity provider, for the wizard of the dashboard. */
export const setupRoutes = (parts: RouteParts): readonly Route[] => [
  tenantRoute({
    method: 'GET',
    path: '/setup',
    operationId: 'getSetupProgress',
    tag: 'Setup links',
    summary: 'Get the progress of connecting an identity provider',
    description:
      'The steps from the API key to the first deactivation, with what happened or what to do. Read it ' +
      'every few seconds: a first request appears within 2 s. A setup link sees its own key only.',
    forCustomers: {
      fields:
        'scim_url token_url provider tenant_name link_expires_at integrations key_id ' +
        'seats(capacity provisioned available) steps(id state at detail) last_error(at error message)',
    },
    query: z.strictObject({
      key_id: idField(
        "The API key of the identity provider. Default: the tenant's key with a SCIM scope that was used last.",
      ).optional(),
    }),
    responses: { 200: { description: 'The progress.', body: SetupView } },
    refusals: ['API_KEY_NOT_FOUND'],
    handler: async ({ caller: { tenant, setup }, query: { key_id } }) => {
      const given = key_id === undefined ? undefined : keyIdIn(key_id);
      const key = chosenKey(await keysOf(parts, tenant), setup ? setup.keyId : given);
      const { steps, newest } = await progressOf(parts, key);
      const tenantUrl = `${parts.publicUrl()}/v1/${tenant.slug}`;
      const body = toWire(SetupView, {
        scimUrl: `${tenantUrl}/scim/v2`,
        tokenUrl: tenant.scim.accessTokens ? `${tenantUrl}/oauth2/token` : null,
        provider: setup?.provider ?? null,
        tenantName: tenant.name,
        linkExpiresAt: setup?.expiresAt ?? null,
        integrations: setup?.hasIntegrations ?? true,
        seats: presentSeats(tenant),
        keyId: key?.key.id ?? null,
        steps,
        lastError: newest?.refusal
          ? { ...newest.refusal, error: newest.refusal.code, at: newest.at, commandId: newest.id }
          : null,
      });
      return { status: 200, body };
    },
  }),
];
