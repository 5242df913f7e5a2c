import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  classifyResponse,
  isSuccess,
  type OutboundResponse,
  type PluginHost,
  type Route,
  writeRoute,
} from '../../src/plugin/api.js';
import { WEBHOOK_NOT_FOUND } from './declarations.js';
import { TEST_EVENT, testBody, type PostDelivery } from './post-delivery.js';
import { outcomeOf } from './failing.js';
import type { OutcomeNotes } from './outcome-notes.js';
import { findRegistration, params, routing } from './routing.js';

export interface TestRouteParts {
  readonly host: Pick<PluginHost, 'records' | 'actions'>;
  readonly post: PostDelivery;
  readonly outcomes: OutcomeNotes;
  readonly now: () => Date;
}

const BODY_LIMIT = 64 * 1_024;

const TestResult = z
  .strictObject({
    delivered: z.boolean().describe('Whether the endpoint responded with a 2xx status.'),
    status: z.int().nullable().describe('The HTTP status; null without a response.'),
    body: z
      .string()
      .nullable()
      .describe('The response body, cut at 64 KiB; null without a response.'),
    duration_ms: z.int().describe('Duration in milliseconds.'),
    error: z.string().nullable().describe('Why there was no response; null if there was one.'),
  })
  .meta({
    id: 'WebhookTestResult',
    examples: [{ delivered: true, status: 200, body: 'ok', duration_ms: 42, error: null }],
  });

type TestResult = z.output<typeof TestResult>;

const resultOf = (response: OutboundResponse): TestResult => ({
  delivered: isSuccess(response),
  status: response.kind === 'responded' ? response.status : null,
  body: response.kind === 'responded' ? response.body : null,
  duration_ms: response.durationMs,
  error: response.kind === 'unreachable' ? response.message : null,
});

/** POST /webhooks/{id}/test (decisions.md 7). */
export const testWebhook = ({ host, post, outcomes, now }: TestRouteParts): Route =>
  writeRoute({
    ...routing,
    method: 'POST',
    path: '/webhooks/{id}/test',
    role: 'operator',
    operationId: 'testWebhook',
    forCustomers: {
      needs: 'integrations',
      fields: 'delivered status body duration_ms error',
    },
    summary: 'Send a test event',
    description:
      'Posts one signed `webhook.test` event to the registered URL, without a retry and also while ' +
      'the registration is disabled, and returns the response. It sets `last_trigger_status`.',
    params,
    responses: { 200: { description: 'The response of the endpoint.', body: TestResult } },
    refusals: [WEBHOOK_NOT_FOUND],
    handler: async ({ caller, params: { id }, idempotency }) => {
      const { tenant } = caller;
      const test = async (): Promise<TestResult> => {
        const registration = await findRegistration(host, caller, id);
        const eventId = randomUUID();
        const { response } = await post({
          tenantId: tenant.id,
          registration,
          id: randomUUID(),
          eventId,
          event: TEST_EVENT,
          body: testBody(eventId, registration, tenant, now()),
          bodyLimit: BODY_LIMIT,
        });
        const target = { tenantId: tenant.id, id: registration.id, epoch: registration.epoch };
        await outcomes.noteNow(target, outcomeOf(classifyResponse(response, now())));
        return resultOf(response);
      };
      const target = { tenantId: tenant.id, ...(idempotency && { idempotency }) };
      const { result, isReplay } = await host.actions.once(target, test);
      return { status: 200, body: result, isReplay };
    },
  });
