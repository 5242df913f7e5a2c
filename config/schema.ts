import { z } from 'zod';
import { formatDuration, parseDuration } from './duration.js';
import { isLoopback } from './is-loopback.js';

/**
 * Every setting with its meaning, unit and default. All objects are strict: an unknown key is an
 * error, because a silently ignored setting is worse than none.
 */

const DURATION_HINT = 'expected a duration such as 30s, 10m, 6h or 90d';

/** `90d` in the file, milliseconds in code. */
const durationField = () =>
  z.codec(z.string({ error: DURATION_HINT }), z.number(), {
    decode: (text, context) => {
      const milliseconds = parseDuration(text);
      if (milliseconds !== undefined) return milliseconds;
      context.issues.push({ code: 'custom', message: DURATION_HINT, input: text });
      return z.NEVER;
    },
    encode: formatDuration,
  });

/** A secret: a reference or the value itself. */
export const secretField = () =>
  z
    .union(
      [
        z.string().min(1),
        z.strictObject({ env: z.string().min(1) }),
        z.strictObject({ file: z.string().min(1) }),
      ],
      { error: 'expected {env: NAME}, {file: path} or the value itself' },
    )
    .nullable()
    .default(null)
    // JSON Schema Validation, 9.4: can be set, is never shown.
    .meta({ writeOnly: true });

const countField = (min: number, max: number) => {
  const error = `expected a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};

const nonEmptyText = () => z.string().min(1, { error: 'must not be empty' });

const urlField = (error: string) =>
  z
    .url({ protocol: /^https?$/, error, abort: true })
    .refine((url) => new URL(url).port !== '0', { error: 'expected a port other than 0' });

// ── Network ──────────────────────────────────────────────────────────────────────────────────────

const ADDRESSES = 'expected an address or a range such as 10.0.0.0/8, but not all addresses';

const addressRange = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], { error: ADDRESSES })
  // Any client could claim any address.
  .refine((range) => !/\/0+$/.test(range), { error: ADDRESSES });

const listening = {
  host: nonEmptyText()
    .default('127.0.0.1')
    .describe('Address to listen on; 0.0.0.0 for all interfaces.'),
  port: countField(0, 65_535).default(8080).describe('Port to listen on; 0 for any free port.'),
  publicUrl: urlField('expected an http:// or https:// URL')
    .refine((url) => !/[?#@]/.test(url), {
      error: 'expected a URL without user name, query or fragment',
    })
    .overwrite((url) => url.replace(/\/+$/, ''))
    .nullable()
    .default(null)
    .describe(
      'URL by which clients reach the gateway, used in meta.location and links. ' +
        'Default: http://host:port.',
    ),
  trustedProxies: z
    .array(addressRange)
    .default([])
    .describe(
      'Addresses and ranges (CIDR) of proxies whose `X-Forwarded-For` is believed. Failed ' +
        'authentications and requests without valid credentials are limited by the address of the ' +
        'client that it names, and connections of a proxy are not limited by its address.',
    ),
};

// ── Storage ──────────────────────────────────────────────────────────────────────────────────────

const storage = {
  mongodb: z
    .strictObject({
      uri: secretField().describe(
        'Connection string of a replica set or sharded cluster. Default: an embedded mongod.',
      ),
    })
    .prefault({})
    .describe('The database.'),
  dataDir: nonEmptyText()
    .default('./.rollgate')
    .describe('Folder of the embedded database and of the secrets generated at first start.'),
};

// ── Secrets ──────────────────────────────────────────────────────────────────────────────────────

const secrets = {
  adminToken: secretField().describe(
    'Admin token for /admin/v1. Default: generated at first start, in the data folder.',
  ),
  secretKey: secretField().describe(
    'Key that encrypts secrets in the database: 32 bytes in base64, the same on every gateway of ' +
      'a database. Default: generated at first start, in the data folder.',
  ),
};

// ── Operators ────────────────────────────────────────────────────────────────────────────────────

const MAX_STEP_UP_MS = 15 * 60_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A duration within bounds, both included. */
const durationBetween = (least: number, most: number) =>
  durationField().refine((ms) => ms >= least && ms <= most, {
    error: `expected ${formatDuration(least)} to ${formatDuration(most)}`,
  });

const groupRole = z
  .strictObject({
    group: nonEmptyText().describe('A group, as the claim names it.'),
    role: z.enum(['owner', 'admin', 'operator', 'auditor']),
    tenants: z.array(nonEmptyText()).min(1).nullable().default(null),
  })
  .refine(({ role, tenants }) => role !== 'owner' || tenants === null, {
    path: ['tenants'],
    error: 'an owner is not bound to tenants',
  });

const oidc = z.strictObject({
  name: nonEmptyText().default('OpenID').describe('Name of the provider on the sign-in page.'),
  issuer: urlField('expected an https:// URL')
    .refine((url) => url.startsWith('https://') || isLoopback(url), {
      error: 'expected an https:// URL; http:// is accepted on loopback only',
    })
    .nullable()
    .default(null)
    .describe('URL of the OpenID provider. Default: operators sign in with links only.'),
  clientId: nonEmptyText().nullable().default(null).describe('Id of this gateway at the provider.'),
  clientSecret: secretField().describe(
    'Secret of this gateway at the provider. Default: a public client, with PKCE.',
  ),
  scopes: z
    .array(nonEmptyText())
    .default(['openid', 'profile', 'email'])
    .describe('Scopes to request; some providers need `groups` for the claim.'),
  groupsClaim: nonEmptyText()
    .default('groups')
    .describe('Claim that lists the groups of a person; a dot separates nested names.'),
  roles: z
    .array(groupRole)
    .default([])
    .describe(
      'Role, and optionally tenants, of each group: `[{"group": "ops", "role": "admin"}]`. The ' +
        'first entry that applies wins; without one, the sign-in is refused.',
    ),
  stepUp: z
    .strictObject({
      maxAge: durationField()
        .refine((ms) => ms <= MAX_STEP_UP_MS, { error: 'expected at most 15m' })
        .prefault('5m')
        .describe(
          'Before sensitive operations, how long ago operators may have proved at the provider ' +
            'who they are.',
        ),
    })
    .prefault({})
    .describe('Operations that need a recent sign-in.'),
});

const people = {
  operators: z
    .strictObject({
      sessions: z
        .strictObject({
          idleTimeout: durationBetween(5 * MINUTE_MS, DAY_MS)
            .prefault('30m')
            .describe('A session ends after this time without a request; 5m to 1d.'),
          maxAge: durationBetween(15 * MINUTE_MS, 7 * DAY_MS)
            .prefault('12h')
            .describe('A session ends this long after the sign-in; 15m to 7d.'),
        })
        .prefault({})
        .describe('How long operators stay signed in.'),
      oidc: oidc.prefault({}).describe('Sign-in with an OpenID provider.'),
    })
    .prefault({})
    .describe('The people who operate this gateway.'),
  branding: z
    .strictObject({
      name: nonEmptyText()
        .max(60)
        .nullable()
        .default(null)
        .describe("Your organisation's name, on the sign-in page and in customers' guides."),
      logo: nonEmptyText()
        .nullable()
        .default(null)
        .describe('File with your logo beside it: SVG, up to 64 KiB.'),
      accent: z
        .string()
        .regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #1a5fb4')
        .nullable()
        .default(null)
        .describe(
          "Accent colour of the sign-in page and of customers' pages: `#rrggbb`. Made darker or lighter as far as text needs it.",
        ),
    })
    .prefault({})
    .describe('What people see before they sign in. Default: Rollgate.'),
};

// ── Logging ──────────────────────────────────────────────────────────────────────────────────────

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const logging = {
  log: z
    .strictObject({
      level: z
        .enum(LOG_LEVELS, { error: `expected one of ${LOG_LEVELS.join(', ')}` })
        .default('info')
        .describe('Minimum level of the lines to log.'),
    })
    .prefault({})
    .describe('The log: one JSON object per line, on standard output.'),
  telemetry: z
    .strictObject({
      endpoint: urlField('expected an http:// or https:// URL')
        .nullable()
        .default(null)
        .describe(
          'Base URL of an OTLP/HTTP receiver of traces, such as http://127.0.0.1:4318. Default: ' +
            'OTEL_EXPORTER_OTLP_ENDPOINT, or no traces.',
        ),
    })
    .prefault({})
    .describe('OpenTelemetry traces.'),
};

// ── Limits ───────────────────────────────────────────────────────────────────────────────────────

const limits = {
  rateLimit: z
    .strictObject({
      perMinute: countField(1, 10_000_000)
        .default(600)
        .describe('Requests per minute per API key, across all gateways.'),
      operatorsPerMinute: countField(1, 10_000_000)
        .default(3_000)
        .describe(
          'Requests per minute per session of an operator or per setup link, and with the admin token, across all gateways.',
        ),
      failedAuthenticationsPerMinute: countField(1, 10_000_000)
        .default(300)
        .describe('Failed authentications per minute per client address.'),
    })
    .prefault({})
    .describe('Rate limits; requests beyond them get 429.'),
  scim: z
    .strictObject({
      bulk: z
        .strictObject({
          maxOperations: countField(1, 10_000)
            .default(1_000)
            .describe('Maximum number of operations in a SCIM Bulk request.'),
        })
        .prefault({})
        .describe('SCIM Bulk (RFC 7644, section 3.7).'),
    })
    .prefault({})
    .describe('The SCIM interface.'),
};

// ── Retention and shutdown ───────────────────────────────────────────────────────────────────────

const retentionAndShutdown = {
  retention: z
    .strictObject({
      events: durationField().prefault('30d').describe('How long events are kept.'),
      commandLog: durationField()
        .prefault('90d')
        .describe('How long lines of the provisioning log are kept.'),
    })
    .prefault({})
    .describe('How long data is kept; older data is deleted.'),
  sms: z
    .strictObject({
      removeEndedAfter: durationField()
        .nullable()
        .prefault(null)
        .describe(
          'Remove a number from its SMS list this long after its validity window has ended. ' +
            'Default: never.',
        ),
    })
    .prefault({})
    .describe('SMS lists.'),
  shutdown: z
    .strictObject({
      graceSeconds: countField(0, 600)
        .default(20)
        .describe('Seconds that requests and deliveries in progress get to finish on SIGTERM.'),
    })
    .prefault({})
    .describe('Graceful shutdown.'),
};

// ── Extensions ───────────────────────────────────────────────────────────────────────────────────

const extensions = {
  plugins: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .default({})
    .describe('One section per plugin, by name; each plugin validates its own.'),
  connectors: z
    // A section that is wrong disables its connector, never the gateway.
    .record(z.string(), z.unknown())
    .default({})
    .describe('One section per source of users, by a name of your choice.'),
};

export const ConfigSchema = z.strictObject({
  ...listening,
  ...storage,
  ...secrets,
  ...people,
  ...logging,
  ...limits,
  ...retentionAndShutdown,
  ...extensions,
});

/** The validated settings: secrets as references, durations in milliseconds. */
export type Settings = z.output<typeof ConfigSchema>;
