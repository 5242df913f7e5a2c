import type { ApiKeyWithUse } from '../../ports/tenants.js';
import { raise } from '../../domain/kernel/refusals.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';
import { isSuccess, type SetupCommand, setupCommandOf } from '../../pipeline/log/log-keys.js';
import { z } from 'zod';
import { idField, instantField, textLike } from '../../routes/fields.js';
import { tenantRoute, type Route } from '../../routes/route.js';
import { clientOf } from '../../domain/tenant/connection.js';
import { type ApiKeyId, parseApiKeyId, type TenantId } from '../../domain/kernel/ids.js';
import { identityProviderIn } from './attention.js';
import { keysOf } from './connections.js';
import { presentSeats, Seats } from './overview.js';
import type { RouteParts } from './route-parts.js';

const SETUP_STEPS = [
  'key',
  'first_request',
  'test_user_lookup',
  'first_user',
  'first_group',
  'deactivation',
] as const;

const SETUP_STATES = ['done', 'waiting', 'failed'] as const;

/** How far the connection of an identity provider is. */
interface SetupStep {
  readonly id: (typeof SETUP_STEPS)[number];
  readonly state: (typeof SETUP_STATES)[number];
  readonly at: Date | null;
  /** What has happened, or what to do. */
  readonly detail: string;
}

interface SetupFacts {
  /** Undefined: there is no API key for an identity provider. */
  readonly key: ApiKeyWithUse | undefined;
  /** Commands of the key, newest first, with the first of each kind. */
  readonly commands: readonly CommandLogEntry[];
}

const step = (id: SetupStep['id'], at: Date | null, detail: string): SetupStep => ({
  id,
  state: at === null ? 'waiting' : 'done',
  at,
  detail,
});

/** Of commands: done by the first that succeeded; failed if all were refused. */
const stepOf = (
  id: SetupCommand,
  { commands }: SetupFacts,
  { done, todo }: Readonly<{ done: string; todo: string }>,
): SetupStep => {
  const matching = commands.filter((entry) => setupCommandOf(entry) === id);
  const first = matching.findLast(isSuccess);
  if (first) return step(id, first.at, `${done}: ${first.subject?.name ?? first.type}.`);
  const [refused] = matching;
  if (!refused) return step(id, null, todo);
  const { code = refused.outcome, message = '' } = refused.refusal ?? {};
  return { id, state: 'failed', at: refused.at, detail: `Refused with ${code}. ${message}` };
};

/** Entra's generic application does not name itself. */
const firstRequestOf = (client: string | null): string =>
  client === null ? 'With this API key.' : `From ${client}.`;

/** The steps of connecting an identity provider, in order. */
const readSetupProgress = (facts: SetupFacts): readonly SetupStep[] => {
  const { key, commands } = facts;
  // A command appears in the log before its request is stored as the last use of the key.
  const usedAt = key?.firstUsedAt ?? key?.lastUsedAt ?? commands.at(-1)?.at ?? null;
  return [
    step(
      'key',
      key?.key.createdAt ?? null,
      key ? `The API key "${key.key.description}".` : 'Create an API key for it.',
    ),
    step(
      'first_request',
      usedAt,
      usedAt === null
        ? 'Enter the base URL and the API key there, and test the connection.'
        : firstRequestOf(clientOf(key?.userAgent ?? null)),
    ),
    step(
      'test_user_lookup',
      key?.lookedUpAt ?? null,
      key?.lookedUpAt
        ? 'It searched for a user.'
        : 'Test the connection there: it searches for a user that does not exist.',
    ),
    stepOf('first_user', facts, {
      done: 'Created the user',
      todo: 'Assign a user to the application there.',
    }),
    stepOf('first_group', facts, {
      done: 'Pushed the group',
      todo: 'Push a group there. Its name must be that of a room or of a role mapping.',
    }),
    stepOf('deactivation', facts, {
      done: 'Deactivated the user',
      todo: 'Remove the assignment of a test user there: the user must become inactive.',
    }),
  ];
};

/** The newest commands of the key: entries of earlier versions cannot be found by their step. */
const MAX_COMMANDS = 500;

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

const commandsOf = async (
  reader: RouteParts['commands'],
  tenantId: TenantId,
  keyId: ApiKeyId,
): Promise<Pick<SetupFacts, 'commands'> & { readonly newest?: CommandLogEntry | undefined }> => {
  const [steps, { entries }] = await Promise.all([
    reader.setupOf(tenantId, keyId),
    reader.page(tenantId, { actor: keyId, limit: MAX_COMMANDS }),
  ]);
  const recent = new Set(entries.map(({ id }) => id));
  // Steps that are not among the newest commands are older.
  const commands = [...entries, ...steps.filter(({ id }) => !recent.has(id))];
  return { commands, newest: entries[0] };
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
      const given =
        key_id === undefined ? undefined : (parseApiKeyId(key_id) ?? raise('API_KEY_NOT_FOUND'));
      const key = chosenKey(await keysOf(parts, tenant), setup ? setup.keyId : given);
      const { commands, newest } = key
        ? await commandsOf(parts.commands, tenant.id, key.key.id)
        : { commands: [] };
      const body: z.output<typeof SetupView> = {
        scim_url: `${parts.publicUrl()}/v1/${tenant.slug}/scim/v2`,
        token_url: tenant.scim.accessTokens
          ? `${parts.publicUrl()}/v1/${tenant.slug}/oauth2/token`
          : null,
        provider: setup?.provider ?? null,
        tenant_name: tenant.name,
        link_expires_at: setup?.expiresAt.toISOString() ?? null,
        integrations: setup?.hasIntegrations ?? true,
        seats: presentSeats(tenant),
        key_id: key?.key.id ?? null,
        steps: readSetupProgress({ key, commands }).map(({ at, ...step }) => ({
          ...step,
          at: at?.toISOString() ?? null,
        })),
        last_error: newest?.refusal
          ? {
              at: newest.at.toISOString(),
              error: newest.refusal.code,
              message: newest.refusal.message,
              command_id: newest.id,
            }
          : null,
      };
      return { status: 200, body };
    },
  }),
];
