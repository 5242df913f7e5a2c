import { z } from 'zod';
import { instantField } from '../../api/fields.js';
import { operatorRoute, type Route } from '../../api/route.js';
import { CHECK_STATES, type ReadSystem, type SystemState } from '../../api/system.js';

export interface SystemRouteParts {
  readonly system: ReadSystem;
}

const SystemView = z
  .strictObject({
    version: z.string().describe('Of this gateway.'),
    node: z.string().describe('Version of Node.js.'),
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
      members: z.array(z.string()),
      ping_ms: z.number().describe('How long it took to respond.'),
    }),
    checks: z.array(
      z.strictObject({
        id: z.string().describe('Stable, for programs.'),
        title: z.string(),
        status: z.enum(CHECK_STATES),
        message: z.string(),
        action: z.string().nullable().describe('What to do; null if there is nothing to do.'),
      }),
    ),
  })
  .meta({
    id: 'System',
    examples: [
      {
        version: '0.1.0',
        node: '20.20.2',
        started_at: '2026-01-31T12:00:00.000Z',
        instances: [
          {
            id: '3d1f6c52-8b5b-4f0e-9a54-0c6a1f5d2b7e',
            host: 'gateway-1',
            version: '0.1.0',
            started_at: '2026-01-31T12:00:00.000Z',
            heartbeat_at: '2026-01-31T12:30:00.000Z',
            is_this: true,
          },
        ],
        database: {
          version: '8.0.4',
          kind: 'external',
          replica_set: 'rs0',
          members: ['db-1:27017', 'db-2:27017', 'db-3:27017'],
          ping_ms: 1.2,
        },
        checks: [
          {
            id: 'database',
            title: 'Database',
            status: 'ok',
            message: 'It responded in 1.2 ms.',
            action: null,
          },
        ],
      },
    ],
  });

const present = (state: SystemState): z.output<typeof SystemView> => {
  const { database } = state;
  return {
    version: state.version,
    node: state.node,
    started_at: state.startedAt.toISOString(),
    instances: state.instances.map(({ id, host, version, startedAt, heartbeatAt }) => ({
      id,
      host,
      version,
      started_at: startedAt.toISOString(),
      heartbeat_at: heartbeatAt.toISOString(),
      is_this: id === state.instanceId,
    })),
    database: {
      version: database.version,
      kind: database.kind,
      replica_set: database.replicaSet,
      members: [...database.members],
      ping_ms: database.pingMs,
    },
    checks: state.checks.map((check) => ({ ...check })),
  };
};

/** The gateways, the database, and what to do about them. */
export const systemRoutes = ({ system }: SystemRouteParts): readonly Route[] => [
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
    handler: async () => ({ status: 200, body: present(await system()) }),
  }),
];
