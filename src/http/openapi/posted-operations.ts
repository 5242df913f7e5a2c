import type { PostedEvents } from '../../api/extensions.js';
import type { Operation } from './operation.js';
import type { SchemaCatalogue } from './schema-catalogue.js';

/** The operation id of an event: `onUserCreated` for `user.created`. */
const operationIdOf = (name: string): string =>
  `on${name.replaceAll(/(?:^|[._])([a-z])/g, (_match, letter: string) => letter.toUpperCase())}`;

export type PostedOperation = Omit<Operation, 'description'>;

/** The requests that receivers get, by event: the document's `webhooks`. */
export const postedOperations = (
  { tag, security, events }: PostedEvents,
  catalogue: SchemaCatalogue,
): readonly (readonly [string, { readonly post: PostedOperation }])[] =>
  events.map(({ name, summary, body }) => [
    name,
    {
      post: {
        operationId: operationIdOf(name),
        summary,
        tags: [tag.name],
        security: [{ [security.name]: [] }],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: catalogue.add(body, 'output') } },
        },
        responses: {
          '2XX': { description: 'Received. Any other status, including a redirect, is retried.' },
        },
      },
    },
  ]);
