import { z } from 'zod';
import { PLUGIN_STATES, type PluginState } from '../../api/plugin-state.js';
import { instantField } from '../../api/fields.js';
import { operatorRoute, type Route } from '../../api/route.js';

export interface PluginRouteParts {
  readonly plugins: () => Promise<readonly PluginState[]>;
}

const PluginView = z
  .strictObject({
    name: z.string().describe('The key of its section in the configuration.'),
    use: z.string().nullable().describe('Its path or package; null if it is built in.'),
    title: z.string().nullable().describe('Null while it is disabled.'),
    version: z.string().optional(),
    state: z.enum(PLUGIN_STATES).describe('Degraded: it runs, and its health check failed.'),
    health: z
      .strictObject({ ok: z.boolean(), message: z.string() })
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
      .strictObject({ at: instantField('When it ended.'), reason: z.string() })
      .nullable()
      .describe('The last delivery attempt that failed on this instance since its start.'),
  })
  .meta({
    id: 'Plugin',
    examples: [
      {
        name: 'audit',
        use: './audit.js',
        title: 'Audit trail',
        version: '1.2.0',
        state: 'running',
        health: { ok: true, message: 'Running.' },
        lag: { pending: 0, overdue_seconds: 0 },
        last_failure: {
          at: '2026-01-31T10:00:00.000Z',
          reason: 'The certificate is self-signed and not trusted here.',
        },
      },
    ],
  });

const present = ({ lag, lastFailure, ...state }: PluginState): z.output<typeof PluginView> => ({
  ...state,
  last_failure: lastFailure && { at: lastFailure.at.toISOString(), reason: lastFailure.reason },
  lag: lag && { pending: lag.pending, overdue_seconds: lag.overdueSeconds },
});

/** The configured plugins with their state, health and lag. */
export const pluginRoutes = ({ plugins }: PluginRouteParts): readonly Route[] => [
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
    handler: async () => ({ status: 200, body: { plugins: (await plugins()).map(present) } }),
  }),
];
