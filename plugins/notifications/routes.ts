import { randomUUID } from 'node:crypto';
import {
  declareRefusal,
  instantField,
  operatorRoute,
  PAGE_FIELDS,
  pageOf,
  type PluginHost,
  raise,
  type Route,
  SEVERITIES,
  textLike,
  z,
} from '../../src/plugin/api.js';
import { pairsOf, pendingIn, type Queue, type Queues } from './queues.js';
import type { SendDigest } from './send-digest.js';
import type { NotificationSettings, Target } from './settings.js';

export const NOTIFICATION_TARGET_NOT_FOUND = declareRefusal(
  'NOTIFICATION_TARGET_NOT_FOUND',
  'missing',
  'No target of notifications is named "ops". List them: rollgate notification list.',
);

const tag = 'Notifications';
export const TAGS = {
  [tag]: 'What operators should look at, sent by e-mail, webhook or to Slack.',
};

const time = (description: string) => instantField(description).nullable();

export const TargetView = z
  .strictObject({
    name: textLike('on-call').describe('Its key in the configuration.'),
    kind: z.enum(['email', 'webhook', 'slack']),
    address: textLike('on-call@example.com').describe(
      'The recipients, or the host that is posted to.',
    ),
    rules: z.array(textLike('held-runs')).describe('The rules that use it.'),
    pending: z.int().describe('Items that were not sent yet.'),
    last_sent_at: time('When a digest was sent last.'),
    failing_since: time('Since when every attempt has failed; null: the last one succeeded.'),
    next_attempt_at: time('When a digest that failed is sent again.'),
    error: z.string().nullable().describe('Why the last attempt failed.'),
  })
  .meta({ id: 'NotificationTarget' });
export type TargetView = z.output<typeof TargetView>;

const RuleView = z
  .strictObject({
    name: textLike('held-runs').describe('Its key in the configuration.'),
    on: z
      .array(textLike('CONNECTOR_RUN_HELD'))
      .describe('Codes of attention, or how they begin, with a star.'),
    severity: z.enum(SEVERITIES).describe('The least severity.'),
    above: z.number().nullable().describe('The figure that is not reported; null: none.'),
    tenants: z.array(z.string()).nullable().describe('Slugs; null: all tenants.'),
    targets: z.array(textLike('on-call')),
    pending: z.int().describe('Items that were not sent yet, of all its targets.'),
    last_sent_at: time('When a digest was sent last.'),
  })
  .meta({ id: 'NotificationRule' });

export const TestResult = z
  .strictObject({
    sent: z.boolean(),
    duration_ms: z.int().describe('Duration in milliseconds.'),
    error: z.string().nullable().describe('Why it was not sent.'),
  })
  .meta({ id: 'NotificationTestResult' });

/** Without what is secret: the address of Slack's webhooks is. */
const addressOf = (target: Target): string => {
  switch (target.kind) {
    case 'email':
      return target.to.join(', ');
    case 'webhook':
      return new URL(target.url).host;
    case 'slack': {
      const url = target.url.reveal();
      return URL.canParse(url) ? new URL(url).host : 'not a URL';
    }
  }
};

/** ISO 8601 times of one format are ordered as texts. */
const latest = (times: readonly (string | null | undefined)[]): string | null =>
  times.reduce<string | null>((last, at) => (at != null && at > (last ?? '') ? at : last), null);
const earliest = (times: readonly (string | null | undefined)[]): string | null =>
  times.reduce<string | null>(
    (first, at) => (at != null && (first === null || at < first) ? at : first),
    null,
  );

const sum = (queues: readonly Queue[]): number =>
  queues.reduce((total, queue) => total + pendingIn(queue), 0);

interface RouteParts {
  readonly host: Pick<PluginHost<NotificationSettings>, 'settings' | 'now'>;
  readonly queues: Queues;
  readonly send: SendDigest;
}

export const notificationRoutes = ({ host, queues, send }: RouteParts): readonly Route[] => {
  const { settings, now } = host;
  const pairs = pairsOf(settings);

  const targetView = async (name: string, target: Target): Promise<TargetView> => {
    const own = pairs.filter((pair) => pair.target === name);
    const states = await queues.read(own);
    const failing = states.filter(({ failingSince }) => failingSince !== null);
    return {
      name,
      kind: target.kind,
      address: addressOf(target),
      rules: own.map(({ rule }) => rule),
      pending: sum(states),
      last_sent_at: latest(states.map(({ sentAt }) => sentAt)),
      failing_since: earliest(failing.map(({ failingSince }) => failingSince)),
      next_attempt_at: earliest(failing.map(({ sending }) => sending?.nextAt)),
      error: failing[0]?.error ?? null,
    };
  };

  return [
    operatorRoute({
      method: 'GET',
      path: '/notifications/targets',
      operationId: 'listNotificationTargets',
      tag,
      summary: 'List targets of notifications',
      description: 'They are set in the configuration.',
      query: z.strictObject(PAGE_FIELDS),
      responses: {
        200: {
          description: 'The targets.',
          body: pageOf('targets', TargetView, 'NotificationTargetList'),
        },
      },
      handler: async ({ query: { limit, offset } }) => {
        const all = Object.entries(settings.targets);
        const shown = all.slice(offset, offset + limit);
        const targets = await Promise.all(shown.map(([name, one]) => targetView(name, one)));
        return { status: 200, body: { targets, total: all.length, limit, offset } };
      },
    }),
    operatorRoute({
      method: 'GET',
      path: '/notifications/rules',
      operationId: 'listNotificationRules',
      tag,
      summary: 'List rules of notifications',
      description: 'They are set in the configuration.',
      query: z.strictObject(PAGE_FIELDS),
      responses: {
        200: {
          description: 'The rules.',
          body: pageOf('rules', RuleView, 'NotificationRuleList'),
        },
      },
      handler: async ({ query: { limit, offset } }) => {
        const all = Object.entries(settings.rules);
        const shown = all.slice(offset, offset + limit);
        const rules = await Promise.all(
          shown.map(async ([name, { on, severity, above, tenants, targets }]) => {
            const states = await queues.read(pairs.filter(({ rule }) => rule === name));
            return {
              ...{ name, on, severity, targets },
              above: above ?? null,
              tenants: tenants ?? null,
              pending: sum(states),
              last_sent_at: latest(states.map(({ sentAt }) => sentAt)),
            };
          }),
        );
        return { status: 200, body: { rules, total: all.length, limit, offset } };
      },
    }),
    operatorRoute({
      method: 'POST',
      path: '/notifications/targets/{target}/test',
      operationId: 'testNotificationTarget',
      role: 'operator',
      tag,
      summary: 'Send a test notification',
      description: 'Sends it once, now, and returns the result.',
      params: z.object({ target: z.string() }),
      responses: { 200: { description: 'Whether it was sent.', body: TestResult } },
      refusals: [NOTIFICATION_TARGET_NOT_FOUND],
      handler: async ({ params: { target: name }, signal }) => {
        const target = Object.hasOwn(settings.targets, name) ? settings.targets[name] : undefined;
        if (!target)
          return raise(
            NOTIFICATION_TARGET_NOT_FOUND,
            `No target of notifications is named ${JSON.stringify(name)}. List them: ` +
              'rollgate notification list.',
          );
        const startedAt = performance.now();
        const createdAt = now().toISOString();
        const digest = { id: randomUUID(), rule: 'test', createdAt, items: [], more: 0 };
        const result = await send(target, digest, signal);
        return {
          status: 200,
          body: {
            sent: result.isSent,
            duration_ms: Math.round(performance.now() - startedAt),
            error: result.isSent ? null : result.reason,
          },
        };
      },
    }),
  ];
};
