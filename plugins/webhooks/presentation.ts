import { z } from 'zod';
import { idField, instantField } from '../../src/plugin/api.js';
import { hideQuery } from './stored-url.js';
import { type Registration, SUBSCRIBABLE } from './registration.js';

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

/** A webhook registration as everyone sees it: without its secret. */
export const Webhook = z
  .strictObject({
    ...fields,
    last_trigger_status: LastTriggerStatus.nullable().describe(
      'The outcome of the most recent delivery attempt; null before the first.',
    ),
  })
  .meta({ id: 'Webhook', examples: [{ ...example, last_trigger_status: 'success' }] });
export type Webhook = z.output<typeof Webhook>;

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
  ...(registration.disabledReason !== null && { disabled_reason: registration.disabledReason }),
});

/** An address without its query, where receivers like to put tokens; that there is one is shown. */
export const maskQuery = (url: string): string => hideQuery({ url, query: null });
