import { z } from 'zod';
import { formatDuration, parseDuration } from './duration.js';

/**
 * Every setting with its meaning, unit and default. Strict throughout: a key that is not here is
 * an error, for a setting that is silently not heard is worse than none.
 */

const DURATION_HINT = 'expected a duration such as 30s, 10m, 6h or 90d';

/** `90d` in the file, milliseconds in the program. */
export const durationField = () =>
  z.codec(z.string({ error: DURATION_HINT }), z.number(), {
    decode: (text, context) => {
      const milliseconds = parseDuration(text);
      if (milliseconds !== undefined) return milliseconds;
      context.issues.push({ code: 'custom', message: DURATION_HINT, input: text });
      return z.NEVER;
    },
    encode: formatDuration,
  });

/** A secret: by reference, or itself. */
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
    // Of JSON Schema (Validation, 9.4): it is set, and never shown.
    .meta({ writeOnly: true });

const countField = (least: number, most: number) => {
  const error = `expected a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
};

const nameField = () => z.string().min(1, { error: 'must not be empty' });

// ── Where it listens ─────────────────────────────────────────────────────────────────────────────

const listening = {
  host: nameField().default('127.0.0.1').describe('Address to listen on; 0.0.0.0 for all.'),
  port: countField(0, 65_535).default(8080).describe('Port to listen on; 0 takes a free one.'),
  publicUrl: z
    .url({ protocol: /^https?$/, error: 'expected an http:// or https:// address' })
    .refine((url) => !/[?#@]/.test(url), { error: 'expected an address without user, ? and #' })
    .overwrite((url) => url.replace(/\/+$/, ''))
    .nullable()
    .default(null)
    .describe(
      'The address by which clients reach the gateway, as it stands in meta.location and links. ' +
        'Default: http://host:port.',
    ),
};

// ── Where it keeps things ────────────────────────────────────────────────────────────────────────

const storage = {
  mongodb: z
    .strictObject({
      uri: secretField().describe(
        'Connection string of a replica set or sharded cluster. Default: an embedded mongod.',
      ),
    })
    .prefault({})
    .describe('The database.'),
  dataDir: nameField()
    .default('./.rollgate')
    .describe('Folder of the embedded database and of the secrets made at first start.'),
};

// ── Secrets ──────────────────────────────────────────────────────────────────────────────────────

const secrets = {
  adminToken: secretField().describe(
    "Operators' bearer token for /admin/v1. Default: made at first start, in the data folder.",
  ),
  secretKey: secretField().describe(
    'Key by which secrets are encrypted in the database: 32 bytes in base64, the same on every ' +
      'gateway of a database. Default: made at first start, in the data folder.',
  ),
};

// ── What it tells ────────────────────────────────────────────────────────────────────────────────

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const telling = {
  log: z
    .strictObject({
      level: z
        .enum(LOG_LEVELS, { error: `expected one of ${LOG_LEVELS.join(', ')}` })
        .default('info')
        .describe('The least important lines to write.'),
    })
    .prefault({})
    .describe('The log: one JSON object a line, on standard output.'),
};

// ── Limits ───────────────────────────────────────────────────────────────────────────────────────

const limits = {
  rateLimit: z
    .strictObject({
      perMinute: countField(1, 10_000_000)
        .default(600)
        .describe('Requests a minute that a key may make, over all gateways together.'),
      failedAuthenticationsPerMinute: countField(1, 10_000_000)
        .default(300)
        .describe('Failed authentications a minute from one address.'),
    })
    .prefault({})
    .describe('Requests beyond these are answered 429.'),
  scim: z
    .strictObject({
      bulk: z
        .strictObject({
          maxOperations: countField(1, 10_000)
            .default(1_000)
            .describe('Operations that one SCIM Bulk request may hold.'),
        })
        .prefault({})
        .describe('SCIM Bulk (RFC 7644, section 3.7).'),
    })
    .prefault({})
    .describe('The SCIM interface.'),
};

// ── How long things are kept, and the end ────────────────────────────────────────────────────────

const lifetimes = {
  retention: z
    .strictObject({
      events: durationField().prefault('30d').describe('How long the event log goes back.'),
      commandLog: durationField()
        .prefault('90d')
        .describe('How long the provisioning log goes back.'),
    })
    .prefault({})
    .describe('What is older is deleted.'),
  sms: z
    .strictObject({
      removeEndedAfter: durationField()
        .nullable()
        .prefault(null)
        .describe(
          'How long after the end of its window a number stays on an SMS list. Default: for ever.',
        ),
    })
    .prefault({})
    .describe('SMS lists.'),
  shutdown: z
    .strictObject({
      graceSeconds: countField(0, 600)
        .default(20)
        .describe('Seconds that running requests and deliveries get to finish on SIGTERM.'),
    })
    .prefault({})
    .describe('The orderly end.'),
};

// ── Extensions ───────────────────────────────────────────────────────────────────────────────────

const extensions = {
  plugins: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .default({})
    .describe('A section for each plugin, by its name; each plugin checks its own.'),
};

export const ConfigSchema = z.strictObject({
  ...listening,
  ...storage,
  ...secrets,
  ...telling,
  ...limits,
  ...lifetimes,
  ...extensions,
});

/** The settings as they stand: secrets as references, durations in milliseconds. */
export type Settings = z.output<typeof ConfigSchema>;
