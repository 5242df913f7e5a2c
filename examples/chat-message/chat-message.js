/**
 * Posts a message to a chat channel when a user is deactivated: Slack, Mattermost and others with
 * incoming webhooks.
 *
 * @param {import('rollgate/plugin')} api
 */
export default ({ definePlugin, secretField, z }) => {
  const Data = z.object({ user: z.object({ display_name: z.string() }) });
  return definePlugin({
    apiVersion: 1,
    name: 'chat-message',
    version: '1.0.0',
    title: 'Chat message',
    description: 'Posts to a chat channel when a user is deactivated.',
    multiple: true,
    settings: z.strictObject({
      url: secretField().describe('The URL of the incoming webhook.'),
      allow: z.array(z.string()).default([]).describe('Private address ranges it may connect to.'),
      ca: z.string().optional().describe('PEM file of additional CAs to trust.'),
    }),
    outbound: ({ allow, ca }) => ({ allow, ...(ca !== undefined && { ca }) }),
    start: ({ settings: { url }, http }) => ({
      subscriber: {
        events: ['user.deactivated'],
        deliver: async ({ event }, signal) => {
          const { user } = Data.parse(event.data);
          const text = `${user.display_name} was deactivated in ${event.tenantSlug}.`;
          const response = await http.post(
            {
              url: url.reveal(),
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({ text: escape(text) }),
              timeoutMs: 10_000,
              bodyLimit: 1_000,
            },
            signal,
          );
          if (response.kind === 'unreachable')
            return { kind: 'failed', retry: true, reason: response.message };
          const { status } = response;
          if (status < 300) return { kind: 'delivered' };
          // 404 and 410: the channel or its webhook was removed.
          const retry = status !== 404 && status !== 410;
          return { kind: 'failed', retry, reason: `The chat responded with ${status}.` };
        },
      },
    }),
  });
};

/** Slack's three control characters. */
const escape = (/** @type {string} */ text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
