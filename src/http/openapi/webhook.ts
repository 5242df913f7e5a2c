import type { WebhookShape } from '../../api/webhook-shape.js';
import type { JsonObject } from '../../domain/json.js';
import type { SchemaCatalogue } from './schema-catalogue.js';

/** `user.created` as a name for generated code: `onUserCreated`. */
const operationIdOf = (name: string): string =>
  `on${name.replaceAll(/(?:^|[._])([a-z])/g, (_match, letter: string) => letter.toUpperCase())}`;

/** What a receiver is sent for one event, and what it is expected to answer. */
export const webhookOf = (
  { name, summary, body }: WebhookShape,
  catalogue: SchemaCatalogue,
): JsonObject => ({
  post: {
    operationId: operationIdOf(name),
    summary,
    tags: ['Webhook events'],
    security: [{ webhookSignature: [] }],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: catalogue.add(body, 'output') } },
    },
    responses: {
      '2XX': { description: 'Received. Any other status, including a redirect, is retried.' },
    },
  },
});
