import { z } from 'zod';
import type { PluginState } from '../../api/plugin-state.js';
import { operatorRoute, type Route } from '../../api/route.js';

export interface PluginRouteParts {
  readonly plugins: () => Promise<readonly PluginState[]>;
}

const PluginView = z
  .strictObject({
    name: z.string(),
    title: z.string(),
    version: z.string().optional(),
    health: z.strictObject({ ok: z.boolean(), message: z.string() }),
  })
  .meta({
    id: 'Plugin',
    examples: [
      {
        name: 'webhooks',
        title: 'Webhooks',
        health: { ok: true, message: 'No pending deliveries.' },
      },
    ],
  });

/** The plugins that run in this instance and how they are. */
export const pluginRoutes = ({ plugins }: PluginRouteParts): readonly Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/plugins',
    operationId: 'listPlugins',
    tag: 'Plugins',
    summary: 'List plugins and their health',
    answers: {
      200: {
        description: 'The running plugins.',
        body: z.strictObject({ plugins: z.array(PluginView) }),
      },
    },
    handler: async () => ({ status: 200, body: { plugins: await plugins() } }),
  }),
];
