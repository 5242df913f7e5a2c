import { z } from 'zod';
import {
  idField,
  INCLUDABLE,
  instantField,
  lineField,
  type DescribedRecord,
  type PluginRecord,
} from '../../src/plugin/api.js';
import {
  hideQuery,
  type Registration,
  SUBSCRIBABLE,
  StaticHeaderChanges,
  StaticHeaders,
  readRegistration,
} from './registration.js';
import { SWITCHES, secretsAt } from './signing.js';

export const webhookId = idField("The registration's id.");

const fields = {
  id: webhookId,
  url: z.string().meta({ format: 'uri', description: 'The URL that deliveries are sent to.' }),
  events: z.array(z.enum(SUBSCRIBABLE)).describe('The subscribed events; `*` means all.'),
  status: z.enum(['active', 'disabled']).describe('While disabled, events are dropped.'),
  description: z.string().nullable(),
  created_at: instantField('When the registration was created.'),
  header_names: z
    .array(z.string())
    .optional()
    .describe(
      'Names of the additional headers; absent if there are none. Values are never returned.',
    ),
  include: z
    .array(z.enum(INCLUDABLE))
    .optional()
    .describe('What deliveries contain beyond the usual data; absent if nothing.'),
  disabled_reason: z
    .string()
    .optional()
    .describe('Why the gateway disabled the registration; absent if it did not.'),
};

const example = {
  id: '0b6b3ac1-5a43-4c5f-8f0e-7d1a4f0f6a11',
  url: 'https://hooks.example.com/rollgate',
  events: ['user.created', 'user.deactivated'],
  status: 'active' as const,
  description: 'Badge system',
  created_at: '2026-01-31T12:00:00.000Z',
};

/** How the last attempt of any delivery ended, test calls included (interface.md). */
export const LastTriggerStatus = z.enum(['success', 'failed']);
export type LastTriggerStatus = z.output<typeof LastTriggerStatus>;

/** The registration's settings, as the rules return them: the URL without its query. */
export const WebhookCore = z.strictObject(fields);
export type WebhookCore = z.output<typeof WebhookCore>;

/** A rotation of the signing secret that is under way. */
const SecretRotationState = z
  .strictObject({
    signed_with: z
      .enum(['new', 'old'])
      .describe('The secret that signs `X-Service-Signature` until then.'),
    until: instantField('Until when both secrets sign; afterwards, only the new one.'),
  })
  .meta({
    id: 'SecretRotationState',
    examples: [{ signed_with: 'old', until: '2026-02-01T12:00:00.000Z' }],
  });

/** Undefined if one secret signs. */
export const presentRotation = (
  registration: Registration,
  at: Date,
): z.output<typeof SecretRotationState> | undefined => {
  const { previous, next } = secretsAt(registration, at);
  if (next !== null) return { signed_with: 'old', until: next.from };
  const [newest] = previous;
  return newest && { signed_with: 'new', until: newest.until };
};

/** A webhook registration as everyone sees it: without its secret. */
export const Webhook = z
  .strictObject({
    ...fields,
    last_trigger_status: LastTriggerStatus.nullable().describe(
      'The outcome of the most recent delivery attempt; null before the first.',
    ),
    secret_rotation: SecretRotationState.optional().describe(
      'While both secrets sign after a rotation; absent otherwise.',
    ),
  })
  .meta({ id: 'Webhook', examples: [{ ...example, last_trigger_status: 'success' }] });
export type Webhook = z.output<typeof Webhook>;

export const CREATED_FOR_CUSTOMERS =
  'id url events status description created_at header_names include disabled_reason secret';
export const WEBHOOK_FOR_CUSTOMERS =
  'id url events status description created_at header_names include disabled_reason ' +
  'last_trigger_status secret_rotation(signed_with until)';

/** The response of `create`, with the secret. */
export const CreatedWebhook = z
  .strictObject({
    ...fields,
    secret: z.string().describe('The signing secret. Returned only in this response.'),
  })
  .meta({
    id: 'CreatedWebhook',
    examples: [{ ...example, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD1xQ3yPqLFjw=' }],
  });

/** The response of a rotation, with the secret. */
export const RotatedSecret = z
  .strictObject({
    id: webhookId,
    secret: z.string().describe('The new secret. Returned only in this response.'),
  })
  .meta({
    id: 'RotatedSecret',
    examples: [{ id: example.id, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD1xQ3yPqLFjw=' }],
  });

export const presentCore = (registration: Registration): WebhookCore => ({
  id: registration.id,
  url: registration.url,
  events: [...registration.events],
  status: registration.status,
  description: registration.description,
  created_at: registration.createdAt.toISOString(),
  ...(registration.headers.length > 0 && {
    header_names: registration.headers.map(({ name }) => name),
  }),
  ...(registration.include.length > 0 && { include: [...registration.include] }),
  ...(registration.disabledReason !== null && { disabled_reason: registration.disabledReason }),
});

/** An address without its query, where receivers like to put tokens; that there is one is shown. */
export const maskQuery = (url: string): string => hideQuery({ url, query: null });

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

const includeField = z
  .array(z.enum(INCLUDABLE))
  .overwrite((names) => [...new Set(names)])
  .describe(
    "`user.custom`: events about users contain the values of the tenant's own attributes, as " +
      '`data.user.custom`.',
  );

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
    include: includeField.optional(),
  })
  .meta({
    id: 'WebhookInput',
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
    include: includeField.optional(),
  })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
    error: 'must hold at least one of url, events, status, description, headers and include',
  })
  .meta({ id: 'WebhookChanges', minProperties: 1, examples: [{ status: 'disabled' }] });

/**
 * A registration as the provisioning log shows it. Of its address the origin alone: receivers put
 * tokens into paths and queries.
 */
export const describeWebhook = (record: PluginRecord): DescribedRecord => {
  const registration = readRegistration(record);
  const { url, query, events, status, description, headers, disabledReason, include } =
    registration;
  // The one that signs in the end: a rotation shows at once, also if the old one signs until then.
  const { secret } = registration.next ?? registration;
  const { origin, host } = new URL(url);
  return {
    kind: 'webhook',
    name: description ?? host,
    shown: {
      url: origin,
      events: [...events],
      status,
      description,
      headers: headers.map(({ name }) => name),
      include: include.length > 0 ? [...include] : null,
      disabled_reason: disabledReason,
    },
    hidden: {
      url: url + (query ?? ''),
      secret,
      headers: headers.map((header) => ({ ...header })),
    },
  };
};
