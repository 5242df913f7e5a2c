/**
 * Posts events as JSON to one address, and adds a route that both APIs have. Replace the request and
 * the route by your own; remove what you do not need.
 *
 * @param {import('rollgate/plugin')} api
 */
export default ({ declareScope, definePlugin, EVENT_NAMES, readRoute, secretField, z }) => {
  const TAG = '__TITLE__';
  const READ = declareScope('__NAME__:read');
  const Status = z
    .strictObject({ tenant: z.string(), active_users: z.int(), events: z.array(z.string()) })
    .meta({
      id: '__PASCAL__Status',
      examples: [{ tenant: 'acme', active_users: 12, events: ['user.deactivated'] }],
    });

  return definePlugin({
    apiVersion: 1,
    name: '__NAME__',
    version: '1.0.0',
    title: '__TITLE__',
    description: 'Posts events as JSON to one address.',
    settings: z.strictObject({
      url: secretField().describe('Where to post the events.'),
      events: z
        .array(z.enum(EVENT_NAMES))
        .default(['user.deactivated'])
        .describe('Names of the events to post.'),
    }),
    scopes: [{ scope: READ, allows: 'read the state of __TITLE__', presets: ['read-only'] }],
    tags: { [TAG]: 'State of __TITLE__.' },

    start: ({ settings: { url, events }, http }) => ({
      subscriber: {
        // One key per receiver: each key has its own queue, order and retries.
        route: ({ name }) => (events.includes(name) ? ['receiver'] : []),
        deliver: async ({ event }, signal) => {
          const response = await http.post(
            {
              url: url.reveal(),
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({
                event: event.name,
                tenant: event.tenantSlug,
                data: event.data,
              }),
              timeoutMs: 10_000,
              bodyLimit: 1_000,
            },
            signal,
          );
          if (response.kind === 'unreachable')
            return { kind: 'failed', retry: true, reason: response.message };
          if (response.status < 300) return { kind: 'delivered' };
          // 404 and 410: the receiver was removed.
          const retry = response.status !== 404 && response.status !== 410;
          return {
            kind: 'failed',
            retry,
            reason: `The receiver responded with ${response.status}.`,
          };
        },
      },
      routes: [
        // GET /v1/{tenantSlug}/__NAME__ with a key, GET /admin/v1/tenants/{slug}/__NAME__ for operators.
        readRoute({
          path: '/__NAME__',
          scope: READ,
          operationId: 'get__PASCAL__Status',
          tag: TAG,
          summary: 'Show what is posted',
          responses: { 200: { description: 'The state.', body: Status } },
          handler: async ({ caller: { tenant } }) => ({
            status: 200,
            body: { tenant: tenant.slug, active_users: tenant.seatsProvisioned, events },
          }),
        }),
      ],
    }),
  });
};
