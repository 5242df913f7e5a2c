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
  {
    cause: 'The registration is deleted or of another tenant.',
    remedy: '`rollgate webhook list acme`.',
  },
);
export const DELIVERY_NOT_FOUND = declareRefusal(
  'DELIVERY_NOT_FOUND',
  'missing',
  'This webhook has no delivery with this id.',
  {
    cause: 'The delivery has expired, or is of another registration.',
    remedy: 'Read the event from `GET /events`.',
  },
);
export const WEBHOOK_DISABLED = declareRefusal(
  'WEBHOOK_DISABLED',
  'conflict',
  'This webhook is disabled. Activate it first.',
  {
    cause: 'The registration is disabled, so nothing is sent.',
    remedy: 'Enable it first.',
  },
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
