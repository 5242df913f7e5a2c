import { readFileSync } from 'node:fs';
import { allSettings } from './describe-settings.js';
import { code, table } from './markdown.js';
import { readConstant } from './read-constant.js';

/** Where a limit comes from: a constant of the code, a schema of the API, or a setting. */
interface Source {
  readonly value: () => string;
  /** The setting that changes it. */
  readonly setting?: string;
}

/** What is limited, to what, and what happens beyond it. */
type Limit = readonly [what: string, source: Source, beyond: string];

const formatCount = (value: number): string => value.toLocaleString('en');

const formatBytes = (bytes: number): string =>
  bytes >= 1_048_576 ? `${bytes / 1_048_576} MiB` : `${bytes / 1_024} KiB`;

/** Two limits of one kind. */
const both = (one: Source, other: Source): Source => ({
  value: () => `${one.value()}; ${other.value()}`,
});

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

const formatTime = (milliseconds: number): string => {
  const [unit, size] = UNITS.find(([, each]) => milliseconds % each === 0) ?? ['ms', 1];
  const count = milliseconds / size;
  return unit === 'ms' ? `${count} ms` : `${count} ${unit}${count === 1 ? '' : 's'}`;
};

const constant =
  (format: (value: number) => string) =>
  (path: string, name: string): Source => ({ value: () => format(readConstant(path, name)) });

const count = constant(formatCount);
const bytes = constant(formatBytes);
const time = constant(formatTime);
const characters = constant((value) => `${formatCount(value)} characters`);

const setting = (key: string): Source => ({
  value: () => {
    const found = allSettings().find((one) => one.key === key);
    if (found?.default === undefined) throw new Error(`No setting ${key} has a default.`);
    const value: unknown = found.default;
    if (typeof value === 'number') return formatCount(value);
    return Array.isArray(value) ? value.join(', ') : String(value);
  },
  setting: key,
});

interface Bounds {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maximum?: number;
  readonly default?: number;
}
interface Api {
  readonly paths: Readonly<
    Record<string, { get: { parameters: readonly { name?: string; schema: Bounds }[] } }>
  >;
  readonly components: {
    readonly schemas: Readonly<Record<string, { properties: Readonly<Record<string, Bounds>> }>>;
  };
}

const api = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as Api;

const field = (schema: string, property: string): Source => ({
  value: () => {
    const bounds = api.components.schemas[schema]?.properties[property] ?? {};
    if (bounds.maxItems !== undefined) return formatCount(bounds.maxItems);
    if (bounds.maxLength === undefined) throw new Error(`${schema}.${property} has no limit.`);
    const least = (bounds.minLength ?? 0) > 1 ? `${bounds.minLength} to ` : '';
    return `${least}${formatCount(bounds.maxLength)} characters`;
  },
});

const parameter = (path: string, name: string): Source => ({
  value: () => {
    const { parameters = [] } = api.paths[path]?.get ?? {};
    const bounds = parameters.find((one) => one.name === name)?.schema;
    if (bounds?.maximum === undefined) throw new Error(`${name} of ${path} has no limit.`);
    return `${bounds.maximum}, ${bounds.default} by default`;
  },
});

const REFUSED = '400 `INVALID_REQUEST`';
const MALFORMED = '400 `INVALID_JSON`';
const TOO_LARGE = '413 `PAYLOAD_TOO_LARGE`';
const BUSY = '503 `UNAVAILABLE`';
const LIMITED = '429 `RATE_LIMITED`';
const CUT = 'the rest is cut off';

const UPLOADS = 'plugins/connectors/uploads/upload-store.ts';
const SEARCH_LIMITS = 'src/store/read/search-limits.ts';
const SMALL = count(SEARCH_LIMITS, 'BOUNDS.smallSize').value();
const QUICK = count(SEARCH_LIMITS, 'MAX_QUICK_CONDITIONS').value();

const SECTIONS: Readonly<Record<string, readonly Limit[]>> = {
  Requests: [
    ['requests per minute with one API key', setting('rateLimit.perMinute'), LIMITED],
    [
      "requests per minute of an operator's session, or with the admin token",
      setting('rateLimit.operatorsPerMinute'),
      LIMITED,
    ],
    [
      'failed authentications per minute of an address',
      setting('rateLimit.failedAuthenticationsPerMinute'),
      `${LIMITED}; valid keys still work`,
    ],
    ['a body', bytes('src/http/json/read-json.ts', 'BODY_LIMIT'), TOO_LARGE],
    [
      'a body of SCIM Bulk, of a SCIM group, or with all members of a room or SMS list',
      bytes('src/http/json/read-json.ts', 'LONG_BODY_LIMIT'),
      TOO_LARGE,
    ],
    [
      'large bodies being read: of one key; of all',
      both(
        bytes('src/http/json/body-intake.ts', 'BODY_LIMITS.perKey'),
        bytes('src/http/json/body-intake.ts', 'BODY_LIMITS.overall'),
      ),
      BUSY,
    ],
    [
      'bodies without valid credentials: of one address; of all',
      both(
        bytes('src/http/json/body-intake.ts', 'PUBLIC_LIMITS.perKey'),
        bytes('src/http/json/body-intake.ts', 'PUBLIC_LIMITS.overall'),
      ),
      BUSY,
    ],
    ['levels of a JSON body', count('src/http/json/parse-json.ts', 'BOUNDS.depth'), MALFORMED],
    ['names in an object of a body', count('src/http/json/parse-json.ts', 'BOUNDS.names'), REFUSED],
    ['values in a body', count('src/http/json/parse-json.ts', 'BOUNDS.values'), TOO_LARGE],
    ['request line and headers', bytes('src/http/server.ts', 'LIMITS.maxHeaderSize'), '431'],
    [
      'time until a body without valid credentials begins to arrive',
      time('src/http/json/body-intake.ts', 'BEGIN_MS'),
      '408 `REQUEST_TIMEOUT`',
    ],
    ['time to send the headers', time('src/http/server.ts', 'LIMITS.headersTimeout'), '408'],
    ['time to send the request', time('src/http/server.ts', 'LIMITS.requestTimeout'), '408'],
    [
      'connections of a gateway',
      count('src/http/server.ts', 'MAX_CONNECTIONS'),
      'further ones are closed, and those of one address beyond half; with a low limit of open files, half of it',
    ],
    [
      'long responses at once with one key or session',
      count('src/http/long-responses.ts', 'MAX_LONG_RESPONSES'),
      LIMITED,
    ],
    [
      'how long an `Idempotency-Key` is remembered',
      time('src/domain/kernel/stored-response.ts', 'RESPONSE_TTL_MS'),
      'the request counts as new',
    ],
  ],
  'Lists and searches': [
    ['`limit` of a page', parameter('/v1/{tenantSlug}/users', 'limit'), REFUSED],
    [
      '`count` of a SCIM page',
      count('src/scim/list-query.ts', 'MAX_RESULTS'),
      'fewer are returned',
    ],
    [
      'length of a SCIM filter',
      count('src/scim/check-input.ts', 'MAX_LENGTH'),
      '400 `INVALID_FILTER`',
    ],
    [
      'conditions in a SCIM filter',
      count('src/scim/check-input.ts', 'MAX_CONNECTIVES'),
      '400 `INVALID_FILTER`',
    ],
    [
      'users that a search without an index may examine',
      count(SEARCH_LIMITS, 'BOUNDS.maxScanned'),
      '400 `INVALID_FILTER`, `tooMany`',
    ],
    [
      `time of such a search: among more than ${SMALL} users; among fewer`,
      both(time(SEARCH_LIMITS, 'BOUNDS.budgetMs'), time(SEARCH_LIMITS, 'BOUNDS.timeoutMs')),
      `with more than ${QUICK} conditions 400 \`INVALID_FILTER\`, \`tooMany\`; else ${BUSY}`,
    ],
    [
      'such searches at once, one with more than 10 conditions as two: of one tenant; of a gateway',
      both(count(SEARCH_LIMITS, 'BOUNDS.perTenant'), count(SEARCH_LIMITS, 'BOUNDS.overall')),
      BUSY,
    ],
    [
      'live streams of the log: of an operator; of a tenant',
      both(
        count('src/http/resources/live-log.ts', 'MAX_OF_OPERATOR'),
        count('src/http/resources/live-log.ts', 'MAX_OF_TENANT'),
      ),
      LIMITED,
    ],
  ],
  Changes: [
    [
      'changes that wait: of one tenant; of a gateway',
      both(
        count('src/pipeline/intake/intake.ts', 'LIMITS.perTenant.weight'),
        count('src/pipeline/intake/intake.ts', 'LIMITS.overall.weight'),
      ),
      BUSY,
    ],
    [
      'operations of a SCIM Bulk request',
      setting('scim.bulk.maxOperations'),
      `${TOO_LARGE}, \`tooMany\``,
    ],
    [
      'operations of a SCIM PATCH',
      count('src/scim/read-patch.ts', 'MAX_OPERATIONS'),
      `${TOO_LARGE}, \`tooMany\``,
    ],
    [
      'members changed at once',
      count('src/domain/kernel/decider.ts', 'LIMITS.membersAtOnce'),
      'the change becomes a [job](operating.md#rooms-roles-and-large-changes)',
    ],
    [
      'time that a response waits for its job',
      time('src/pipeline/jobs.ts', 'MAX_WAIT_MS'),
      '202 with the job',
    ],
    ['finished jobs', time('src/store/tables/jobs.ts', 'RETENTION_MS'), '404 `JOB_NOT_FOUND`'],
  ],
  Fields: [
    ['e-mail address', field('UserInput', 'email'), REFUSED],
    ['display name, external id', field('UserInput', 'display_name'), REFUSED],
    ['name of a room, group or tenant', field('RoomName', 'name'), REFUSED],
    ['role', field('RoleMappingInput', 'role'), REFUSED],
    ['other SCIM texts', characters('src/scim/read-value.ts', 'DEFAULT_MAX_LENGTH'), REFUSED],
    [
      'values of a multi-valued SCIM attribute',
      count('src/domain/user/profile-lists.ts', 'MAX_VALUES'),
      REFUSED,
    ],
    [
      'attributes that a tenant declares',
      count('src/domain/tenant/custom-attributes.ts', 'MAX_CUSTOM_ATTRIBUTES'),
      REFUSED,
    ],
    [
      'value of such an attribute',
      bytes('src/domain/tenant/custom-attributes.ts', 'MAX_CUSTOM_BYTES'),
      REFUSED,
    ],
    ['numbers added to an SMS list by one request', field('SmsMembers', 'members'), REFUSED],
  ],
  Webhooks: [
    ['registrations of a tenant', count('plugins/webhooks/rules.ts', 'MAX_REGISTRATIONS'), REFUSED],
    [
      'of these, created by API keys and setup links; by setup links',
      both(
        count('plugins/webhooks/rules.ts', 'MAX_OF_CUSTOMERS'),
        count('plugins/webhooks/rules.ts', 'MAX_OF_SETUP_LINKS'),
      ),
      REFUSED,
    ],
    ['URL', field('WebhookInput', 'url'), REFUSED],
    ['secret', field('WebhookInput', 'secret'), REFUSED],
    ['headers of your own', count('plugins/webhooks/registration.ts', 'MAX_HEADERS'), REFUSED],
    ['time for an attempt', setting('plugins.webhooks.timeout'), 'retried'],
    ['delays of retries', setting('plugins.webhooks.retry'), 'the delivery has failed'],
    [
      'attempts at once: to one registration',
      setting('plugins.webhooks.concurrencyPerRegistration'),
      'others wait',
    ],
    [
      'attempts at once of a gateway',
      count('src/plugin/stream/stream-limits.ts', 'STREAM_LIMITS.maxAttempts'),
      'others wait',
    ],
    [
      'failures in a row; pause after them',
      both(
        count('src/plugin/stream/stream-limits.ts', 'STREAM_LIMITS.breakerFailures'),
        time('src/plugin/stream/stream-limits.ts', 'STREAM_LIMITS.breakerOpenMs'),
      ),
      'deliveries to this registration wait',
    ],
    [
      'body of a response that is kept',
      bytes('plugins/webhooks/delivery-view.ts', 'MAX_STORED_BODY'),
      CUT,
    ],
    [
      'how long delivered ones are kept; failed ones',
      both(
        time('src/store/stream/record-results.ts', 'RETENTION_MS.d'),
        time('src/store/stream/record-results.ts', 'RETENTION_MS.f'),
      ),
      '404 `DELIVERY_NOT_FOUND`',
    ],
    [
      'overlap of two secrets, in hours',
      count('plugins/webhooks/bodies.ts', 'MAX_OVERLAP_HOURS'),
      REFUSED,
    ],
  ],
  'Operators and the log': [
    ['session without a request', setting('operators.sessions.idleTimeout'), 'it ends'],
    ['session', setting('operators.sessions.maxAge'), 'it ends'],
    [
      'proof of identity for sensitive operations',
      time('src/domain/operator/operator.ts', 'SESSION_LIMITS.stepUpMs'),
      '403 `STEP_UP_REQUIRED`',
    ],
    ['sign-in link', time('src/http/resources/operators.ts', 'LINK_MS'), 'create another one'],
    [
      "customer's setup link, in hours",
      count('src/http/resources/setup-links.ts', 'MAX_HOURS'),
      REFUSED,
    ],
    [
      "openings of a customer's setup link",
      count('src/domain/operator/operator.ts', 'MAX_OPENINGS'),
      '401 `UNAUTHENTICATED`',
    ],
    ['provisioning log', setting('retention.commandLog'), 'lines are deleted'],
    ['event log', setting('retention.events'), '`has_gap` of `GET /events`'],
    ['capture of requests', time('src/http/resources/captured-requests.ts', 'MAX_MS'), 'it ends'],
    ['body that is captured', bytes('src/http/capture/mask-message.ts', 'MAX_BODY'), CUT],
  ],
  Connectors: [
    [
      'records of a read',
      setting('connectors.<name>.safety.maxRecords'),
      'the run fails; nothing is changed',
    ],
    [
      'time of a read',
      setting('connectors.<name>.safety.maxReadTime'),
      'the run fails; nothing is changed',
    ],
    [
      'response of a source',
      bytes('src/plugin/connector-runtime/source-http.ts', 'BODY_LIMIT'),
      'the run fails; nothing is changed',
    ],
    [
      'requests per second to one host',
      count('src/plugin/connector-runtime/host-limits.ts', 'PER_SECOND'),
      'they wait',
    ],
    [
      'time of an expression for one record',
      time('plugins/connectors/mapping/jsonata-process.ts', 'LIMIT_MS'),
      'the record goes into quarantine',
    ],
    ['an upload', bytes('plugins/connectors/uploads/upload-routes.ts', 'BODY_LIMIT'), TOO_LARGE],
    [
      'uploads of changes that wait for a run of a connector; their bytes',
      both(count(UPLOADS, 'UPLOAD_LIMITS.waiting'), bytes(UPLOADS, 'UPLOAD_LIMITS.waitingBytes')),
      `${LIMITED} with \`Retry-After\`, until a run has read them`,
    ],
    [
      'a complete list in several uploads',
      bytes(UPLOADS, 'UPLOAD_LIMITS.listBytes'),
      `${TOO_LARGE}; a new list replaces it`,
    ],
    [
      'changes that were uploaded since the newest list, once applied',
      bytes(UPLOADS, 'UPLOAD_LIMITS.appliedBytes'),
      'the oldest are deleted, and the list: a full run needs another one',
    ],
    [
      'held run without approval',
      time('plugins/connectors/run/execute-run.ts', 'HELD_MS'),
      'it expires',
    ],
  ],
};

/** All limits, with their settings and what happens beyond them. */
export const describeLimits = (): string =>
  Object.entries(SECTIONS)
    .map(([title, limits]) =>
      [
        `## ${title}`,
        '',
        table(
          ['limit', 'value', 'setting', 'beyond it'],
          limits.map(([what, source, beyond]) => [
            what,
            source.value(),
            source.setting === undefined ? '' : code(source.setting),
            beyond,
          ]),
        ),
      ].join('\n'),
    )
    .join('\n\n');
