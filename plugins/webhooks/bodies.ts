import { z } from 'zod';
import { lineField } from '../../src/plugin/api.js';
import { SWITCHES } from './signing-secrets.js';
import { SUBSCRIBABLE } from './registration.js';
import { StaticHeaderChanges, StaticHeaders } from './static-headers.js';

/** Longer URLs are cut or refused on their way by many a server. */
const MAX_URL_LENGTH = 2_048;
const MIN_SECRET_LENGTH = 16;
const MAX_SECRET_LENGTH = 512;

const url = lineField(MAX_URL_LENGTH).meta({
  format: 'uri',
  description: 'HTTPS only; loopback, private and metadata addresses are refused.',
});

const events = z
  .array(z.enum(SUBSCRIBABLE))
  .min(1, 'must name at least one event')
  .overwrite((names) => [...new Set(names)])
  .describe('Event names, a family such as `room.*`, or `*` for all events.');

const description = lineField(256).nullable().describe('A label for display.');

const secret = lineField(MAX_SECRET_LENGTH)
  .refine((text) => Array.from(text).length >= MIN_SECRET_LENGTH, {
    error: `must have at least ${MIN_SECRET_LENGTH} characters`,
  })
  .meta({
    minLength: MIN_SECRET_LENGTH,
    description: 'The signing secret. Generated if omitted.',
  });

export const NewWebhook = z
  .strictObject({
    url,
    events,
    secret: secret.optional(),
    description: description.optional(),
    headers: StaticHeaders.optional(),
  })
  .meta({
    id: 'NewWebhook',
    examples: [{ url: 'https://hooks.example.com/rollgate', events: ['user.created'] }],
  });

/** A week: for longer an old secret is none that is being replaced. */
const MAX_OVERLAP_HOURS = 168;

/** Every field may be left out, and so may the body. */
export const SecretRotation = z
  .strictObject({
    secret: secret.optional().describe('The new secret. Generated if omitted.'),
    overlap_hours: z
      .int()
      .min(0)
      .max(MAX_OVERLAP_HOURS)
      .default(24)
      .describe('How long both secrets sign. With 0, only the new secret signs.'),
    switch: z
      .enum(SWITCHES)
      .default('now')
      .describe(
        'When the new secret signs `X-Service-Signature`: at once (the old one then signs ' +
          '`X-Service-Signature-Previous`), or after the overlap (until then it signs ' +
          '`X-Service-Signature-Next`).',
      ),
  })
  .prefault({})
  .meta({ id: 'SecretRotation', examples: [{ overlap_hours: 48, switch: 'after_overlap' }] });

export const WebhookChanges = z
  .strictObject({
    url: url.optional(),
    events: events.optional(),
    status: z.enum(['active', 'disabled']).optional(),
    description: description.optional(),
    headers: StaticHeaderChanges.optional(),
  })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
    error: 'must hold at least one of url, events, status, description and headers',
  })
  .meta({ id: 'WebhookChanges', minProperties: 1, examples: [{ status: 'disabled' }] });
