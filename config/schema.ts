import { z } from 'zod';
import { formatDuration, parseDuration } from './duration.js';

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

// ── Network ──────────────────────────────────────────────────────────────────────────────────────

const listening = {
  host: nonEmptyText()
    .default('127.0.0.1')
    .describe('Address to listen on; 0.0.0.0 for all interfaces.'),
  port: countField(0, 65_535).default(8080).describe('Port to listen on; 0 for any free port.'),
  publicUrl: z
    .url({ protocol: /^https?$/, error: 'expected an http:// or https:// URL' })
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
};

// ── Limits ───────────────────────────────────────────────────────────────────────────────────────

const limits = {
  rateLimit: z
    .strictObject({
      perMinute: countField(1, 10_000_000)
        .default(600)
        .describe('Requests per minute per API key, across all gateways.'),
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
  ...logging,
  ...limits,
  ...retentionAndShutdown,
  ...extensions,
});

/** The validated settings: secrets as references, durations in milliseconds. */
export type Settings = z.output<typeof ConfigSchema>;
