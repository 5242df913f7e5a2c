import { z } from 'zod';
import {
  PLUGIN_STATES,
  type PluginState,
  CHECK_STATES,
  type SystemState,
} from '../../ports/system.js';
import { instantField, textLike } from '../../routes/fields.js';
import { operatorRoute, type Route } from '../../routes/route.js';
import { toWire } from '../../routes/wire.js';
import { RefusalError } from '../../domain/kernel/refusals.js';
import { ADMIN_TOKEN_INVALID } from '../access/refuse-credentials.js';
import type { RouteParts } from './route-parts.js';

const PluginView = z
  .strictObject({
    name: textLike('audit').describe('The key of its section in the configuration.'),
    use: textLike('./audit.js').nullable().describe('Its path or package; null if it is built in.'),
    title: textLike('Audit trail').nullable().describe('Null while it is disabled.'),
    version: z.string().optional(),
    state: z.enum(PLUGIN_STATES).describe('Degraded: it runs, and its health check failed.'),
    health: z
      .strictObject({ ok: z.boolean(), message: textLike('Running.') })
      .nullable()
      .describe('In this instance; null while it is disabled.'),
    lag: z
      .strictObject({
        pending: z.int().nullable().describe('Deliveries that are not finished.'),
        overdue_seconds: z
          .number()
          .nullable()
          .describe('How long the most overdue delivery has been due.'),
      })
      .nullable()
      .describe('Over all instances; null if it does not subscribe to events.'),
    last_failure: z
      .strictObject({
        at: instantField('When it ended.'),
        reason: textLike('The certificate has expired.'),
      })
      .nullable()
      .describe('The last delivery attempt that failed on this instance since its start.'),
  })
  .meta({ id: 'Plugin' });

const presentPlugin = (plugin: PluginState) => toWire(PluginView, plugin);

/** The configured plugins with their state, health and lag. */
export const pluginRoutes = ({ plugins }: RouteParts): readonly Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/plugins',
    operationId: 'listPlugins',
    tag: 'Plugins',
    summary: 'List plugins with state, health, lag and last failure',
    responses: {
      200: {
        description: 'The plugins of the configuration; disabled ones last.',
        body: z.strictObject({ plugins: z.array(PluginView) }),
      },
    },
    handler: async () => ({ status: 200, body: { plugins: (await plugins()).map(presentPlugin) } }),
  }),
];

const SystemView = z
  .strictObject({
    version: z.string().describe('Of this gateway.'),
    node: textLike('20.20.2').describe('Version of Node.js.'),
    started_at: instantField('When this gateway started.'),
    instances: z
      .array(
        z.strictObject({
          id: z.string(),
          host: z.string().nullable(),
          version: z.string().nullable(),
          started_at: instantField('When it started.'),
          heartbeat_at: instantField('Its last heartbeat; one is sent every second.'),
          is_this: z.boolean().describe('Whether it responds to this request.'),
        }),
      )
      .describe('The gateways of this database, oldest first.'),
    database: z.strictObject({
      version: z.string(),
      kind: z.enum(['embedded', 'external']),
      replica_set: z.string().nullable().describe('Null for a sharded cluster.'),
      members: z.array(textLike('db-1:27017')),
      ping_ms: z.number().describe('How long it took to respond.'),
    }),
    checks: z.array(
      z.strictObject({
        id: textLike('database').describe('Stable, for programs.'),
        title: textLike('Database'),
        status: z.enum(CHECK_STATES),
        message: textLike('It responded in 1.2 ms.'),
        action: z.string().nullable().describe('What to do; null if there is nothing to do.'),
      }),
    ),
  })
  .meta({ id: 'System' });

const presentSystem = (state: SystemState) =>
  toWire(SystemView, {
    ...state,
    instances: state.instances.map((one) => ({ ...one, isThis: one.id === state.instanceId })),
  });

/** The gateways, the database, and what to do about them. */
export const systemRoutes = ({ system }: RouteParts): readonly Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/system',
    operationId: 'getSystem',
    tag: 'System',
    summary: 'Get the state of the gateways and the database',
    description:
      'With checks that name the action to take. `rollgate doctor` checks more, such as files and ' +
      'indexes, and works while no gateway runs. The result is up to 2 s old.',
    responses: { 200: { description: 'The state.', body: SystemView } },
    handler: async () => ({ status: 200, body: presentSystem(await system()) }),
  }),
];

const RotatedAdminToken = z
  .strictObject({
    token: textLike('rgadm_…').describe('The new token. Returned only in this response.'),
    stored_in: z.string().describe("Path of the file on the gateway's machine that stores it."),
    was_configured: z
      .boolean()
      .describe(
        'True if the old token came from the configuration: update it before the next restart.',
      ),
  })
  .meta({ id: 'RotatedAdminToken' });

/** The admin token (decisions.md 8). */
export const adminTokenRoutes = ({
  adminTokens,
  adminTokenCheck,
}: RouteParts): readonly Route[] => [
  operatorRoute({
    method: 'POST',
    path: '/admin-token/rotate',
    operationId: 'rotateAdminToken',
    audit: 'replaced the admin token',
    role: 'owner',
    stepUp: true,
    tag: 'Admin token',
    summary: 'Replace the admin token',
    description:
      'Generates a new admin token. The old one stops working immediately on this gateway, and ' +
      'within 1 s on all other gateways of the database. The new one is stored in the data folder ' +
      'of the gateway that handles the request.',
    responses: { 200: { description: 'The new token.', body: RotatedAdminToken } },
    handler: async ({ caller }) => {
      const tokenHash = caller.tokenHash ?? (await adminTokens.findHash());
      const rotated = tokenHash === undefined ? undefined : await adminTokens.rotate(tokenHash);
      adminTokenCheck.invalidate();
      if (!rotated) throw new RefusalError(ADMIN_TOKEN_INVALID);
      const { token, path, wasConfigured } = rotated;
      return {
        status: 200,
        body: { token, stored_in: path, was_configured: wasConfigured },
      };
    },
  }),
];
