import {
  durationField,
  isAddressRange,
  nearestName,
  type Secret,
  secretField,
  type SettingFault,
  SEVERITIES,
  z,
} from '../../src/plugin/api.js';

/**
 * The codes of attention that Rollgate's own parts have.
 *
 * @internal
 */
export const KNOWN_CODES = [
  'SEATS_NEARLY_FULL',
  'SEATS_FULL',
  'IDENTITY_PROVIDER_MISSING',
  'IDENTITY_PROVIDER_SILENT',
  'REQUESTS_REFUSED',
  'AUTHENTICATIONS_FAILED',
  'COMMANDS_FAILED',
  'COMMANDS_REFUSED',
  'GROUPS_REFUSED',
  'REMOVALS_HELD',
  'MEMBERS_SKIPPED',
  'API_KEY_EXPIRES',
  'API_KEY_EXPIRED',
  'PLUGIN_UNAVAILABLE',
  'WEBHOOK_FAILING',
  'WEBHOOK_GONE',
  'WEBHOOK_DISABLED',
  'CONNECTOR_UNUSABLE',
  'CONNECTOR_QUARANTINED',
  'CONNECTOR_DEFERRED',
  'CONNECTOR_RUN_HELD',
  'CONNECTOR_RUN_FAILED',
] as const;

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const name = z
  .string()
  .max(64)
  .regex(NAME, { error: 'expected a name of lower-case words joined by hyphens' });

const PATTERN = /^([A-Z][A-Z0-9_]*)?\*$/;

/** A code of attention, or how codes begin. A misspelt code would never be reported. */
const code = z.string().superRefine((text, context) => {
  if (PATTERN.test(text) || KNOWN_CODES.some((known) => known === text)) return;
  const near = nearestName(text, KNOWN_CODES);
  context.addIssue({
    code: 'custom',
    message:
      `${JSON.stringify(text)} is not a code of attention` +
      `${near === undefined ? '' : `; did you mean ${near}`}? ` +
      'Codes of other plugins: the beginning and a star, such as AUDIT_*',
  });
});

const address = z
  .string()
  .max(320)
  .regex(/^[^\s<>,;]+@[^\s<>,;]+$/, { error: 'expected an e-mail address' });

const Email = z.strictObject({
  kind: z.literal('email'),
  host: z.string().min(1).max(253).describe('Name or address of the mail server.'),
  port: z.int().min(1).max(65_535).default(587),
  security: z
    .enum(['starttls', 'tls', 'none'])
    .default('starttls')
    .describe('`starttls` is required of the server; `none` sends everything in the clear.'),
  user: z.string().min(1).max(320).optional(),
  password: secretField().optional(),
  from: address,
  to: z.array(address).min(1).max(50),
});

const HttpsUrl = z.url({ protocol: /^https$/, error: 'expected an https:// URL' }).max(2_048);

const Webhook = z.strictObject({
  kind: z.literal('webhook'),
  url: HttpsUrl,
  secret: secretField().describe('Signs the requests, as the secret of a webhook does.'),
});

const Slack = z.strictObject({
  kind: z.literal('slack'),
  url: secretField().describe('The address of an incoming webhook, which is a secret.'),
});

/** Absent if the secret cannot be read, which is reported elsewhere. */
const revealed = (secret: Secret): string | undefined => {
  try {
    return secret.reveal();
  } catch {
    return undefined;
  }
};

const Target = z.discriminatedUnion('kind', [Email, Webhook, Slack]);
export type Target = z.output<typeof Target>;

/** The address of a Slack target may be in a file or a variable, so that the schema cannot check it. */
export const checkSlackUrls = (
  targets: Readonly<Record<string, Target>>,
): readonly SettingFault[] =>
  Object.entries(targets).flatMap(([name, target]) => {
    const address = target.kind === 'slack' ? revealed(target.url) : undefined;
    return address === undefined || HttpsUrl.safeParse(address).success
      ? []
      : [{ path: ['targets', name, 'url'], message: 'expected an https:// URL' }];
  });

const Rule = z.strictObject({
  on: z.array(code).min(1).max(50),
  severity: z.enum(SEVERITIES).default('info'),
  above: z.number().optional(),
  tenants: z.array(z.string().min(1).max(64)).min(1).max(1_000).optional(),
  targets: z.array(name).min(1).max(20),
  repeat: durationField('1h', '30d').optional(),
});
export type Rule = z.output<typeof Rule>;

const few = (most: number, what: string) => ({
  check: (record: object) => Object.keys(record).length <= most,
  error: { error: `expected up to ${most} ${what}` },
});
const TARGETS = few(20, 'targets');
const RULES = few(50, 'rules');

const addressRange = z.string().refine(isAddressRange, {
  error: 'expected an address range such as 10.0.0.0/8 or fd00::/8, or one address',
});

/** The section `plugins.notifications` of the configuration. */
export const NotificationSettings = z
  .strictObject({
    targets: z
      .record(name, Target)
      .refine(TARGETS.check, TARGETS.error)
      .default({})
      .describe(
        'Where notifications are sent, by a name of your choice: `{kind: email, host, from, to}`, ' +
          '`{kind: webhook, url, secret}` or `{kind: slack, url}`.',
      ),
    rules: z
      .record(name, Rule)
      .refine(RULES.check, RULES.error)
      .default({})
      .describe(
        'What is reported, by a name of your choice: `{on, targets}`, and optionally `tenants`, ' +
          '`severity`, `above` and `repeat`.',
      ),
    checkEvery: durationField('1s', '1h')
      .prefault('1m')
      .describe('How often the tenants of the rules are looked at.'),
    allow: z
      .array(addressRange)
      .default([])
      .describe('Non-public address ranges that targets may have.'),
    ca: z.string().min(1).optional().describe('PEM file of additional CAs to trust for targets.'),
  })
  .superRefine(({ targets, rules }, context) => {
    for (const [rule, { targets: named }] of Object.entries(rules))
      for (const [index, target] of named.entries())
        if (!Object.hasOwn(targets, target))
          context.addIssue({
            code: 'custom',
            path: ['rules', rule, 'targets', index],
            message: `there is no target "${target}"`,
          });
  });
export type NotificationSettings = z.output<typeof NotificationSettings>;
