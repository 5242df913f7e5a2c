/**
 * Posts a message to a chat channel (Slack, Mattermost and others with incoming webhooks) when a user
 * is deactivated. Copy this file and name it in the configuration:
 *
 *     plugins:
 *       chat: { use: ./chat-message.js, url: { env: CHAT_WEBHOOK_URL } }
 *
 * A message that fails is retried for about a day; no request waits for it.
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
      url: secretField().describe('The incoming webhook of the channel.'),
      allow: z.array(z.string()).default([]).describe('Private address ranges it may reach.'),
      ca: z.string().optional().describe('A PEM file of additional CAs.'),
    }),
    outbound: ({ allow, ca }) => ({ allow, ...(ca !== undefined && { ca }) }),
    start: ({ settings: { url }, http }) => ({
      subscriber: {
        route: ({ name }) => (name === 'user.deactivated' ? ['channel'] : []),
        deliver: async ({ event }, signal) => {
          const { user } = Data.parse(event.data);
          const text = escape(`${user.display_name} was deactivated in ${event.tenantSlug}.`);
          const answer = await http.post(
            {
              url: url.reveal(),
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({ text }),
              timeoutMs: 10_000,
              bodyLimit: 1_000,
            },
            signal,
          );
          if (answer.kind === 'unreachable')
            return { kind: 'failed', retry: true, reason: answer.message };
          if (answer.status < 300) return { kind: 'delivered' };
          // The channel or its webhook was removed.
          const retry = answer.status !== 404 && answer.status !== 410;
          return { kind: 'failed', retry, reason: `The chat answered ${answer.status}.` };
        },
      },
    }),
  });
};

/** Slack's three control characters. */
const escape = (/** @type {string} */ text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
