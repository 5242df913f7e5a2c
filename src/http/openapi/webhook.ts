import type { WebhookShape } from '../../api/webhook-shape.js';
import type { Operation } from './operation.js';
import type { SchemaCatalogue } from './schema-catalogue.js';

/** `user.created` as a name for generated code: `onUserCreated`. */
const operationIdOf = (name: string): string =>
  `on${name.replaceAll(/(?:^|[._])([a-z])/g, (_match, letter: string) => letter.toUpperCase())}`;

export type WebhookOperation = Omit<Operation, 'description'>;

/** The request that a receiver gets for an event, and the expected response. */
export const webhookOf = (
  { name, summary, body }: WebhookShape,
  catalogue: SchemaCatalogue,
): { readonly post: WebhookOperation } => ({
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
