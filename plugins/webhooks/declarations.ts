import {
  declareRefusal,
  declareScope,
  EVENT_SHAPES,
  type PostedEvents,
} from '../../src/plugin/api.js';

/** The scope of all its operations (interface.md, Authentication). */
export const WEBHOOKS = declareScope('webhooks');

export const WEBHOOK_NOT_FOUND = declareRefusal(
  'WEBHOOK_NOT_FOUND',
  'missing',
  'No webhook has this id.',
);
export const DELIVERY_NOT_FOUND = declareRefusal(
  'DELIVERY_NOT_FOUND',
  'missing',
  'This webhook has no delivery with this id.',
);
export const WEBHOOK_DISABLED = declareRefusal(
  'WEBHOOK_DISABLED',
  'conflict',
  'This webhook is disabled. Activate it first.',
);

/** Descriptions of the tags of its operations. */
export const TAGS = {
  Webhooks: 'Registered HTTPS endpoints that receive every event, signed.',
  'Webhooks of a tenant':
    'For operators: the same as the tenant reads, with the query of each URL masked.',
  Events: 'The event log, for polling and for catching up.',
} as const;

/** What receivers get, for the OpenAPI document. */
export const POSTED_EVENTS: PostedEvents = {
  tag: {
    name: 'Webhook events',
    description: 'The requests that Rollgate sends to registered endpoints.',
  },
  security: {
    name: 'webhookSignature',
    scheme: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Service-Signature',
      description:
        '`sha256=` and the HMAC-SHA256 of the raw body in hexadecimal, keyed with the secret of the ' +
        'registration. Verify it before you trust the body.',
    },
  },
  events: EVENT_SHAPES,
};
