import type { ApiKeyWithUse } from '../../ports/tenants.js';
import {
  type Attention,
  type ExtensionOverview,
  type NamedOverview,
  SEVERITIES,
  type TenantAttention,
} from '../../routes/extensions.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';
import {
  clientOf,
  isOftenRefused,
  silenceInWords,
  unusualSilenceMs,
} from '../../domain/tenant/connection.js';
import { titleOf } from '../../domain/command-words.js';
import { codeInWords, timeInWords } from '../../domain/kernel/in-words.js';
import type { FailedAuthentication } from '../../ports/connections.js';
import {
  connectionsOf,
  type ConnectionOfKey,
  failureInWords,
  isForProvider,
  keysOf,
} from './connections.js';
import type { RouteParts } from './route-parts.js';

type Used = Pick<ApiKeyWithUse, 'key' | 'lastUsedAt'>;

/** Of the keys for identity providers, the one that was used last, or else the newest. */
export const identityProviderIn = <Key extends Used>(keys: readonly Key[]): Key | undefined =>
  keys.filter(isForProvider).sort((one, other) => orderOf(other) - orderOf(one))[0];

/** Any use counts more than a creation. */
const orderOf = ({ key, lastUsedAt }: Used): number =>
  lastUsedAt ? lastUsedAt.getTime() + Number.MAX_SAFE_INTEGER / 2 : key.createdAt.getTime();

/** Commands of the last 24 hours that had an outcome. */
interface Unsuccessful {
  readonly count: number;
  /** The newest of them. */
  readonly newest: readonly CommandLogEntry[];
}

interface AttentionFacts {
  readonly tenant: Tenant;
  /** The key that an identity provider used last, or was created for one. */
  readonly identityProvider: Used | undefined;
  readonly connections: readonly ConnectionOfKey[];
  /** Of the last hour, at least. */
  readonly failures: readonly FailedAuthentication[];
  readonly refused: Unsuccessful;
  readonly failed: Unsuccessful;
  /** Changes of groups in the last 24 hours that left out unknown members: the newest first. */
  readonly skipped: readonly CommandLogEntry[];
  readonly now: Date;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Identity providers that have nothing to say are silent; Okta for days. */
const SILENT_MS = 7 * DAY_MS;

const seats = ({ tenant }: AttentionFacts): readonly Attention[] => {
  const { seatCapacity: capacity, seatsProvisioned: used } = tenant;
  if (capacity === null) return [];
  const share = capacity === 0 ? 1 : used / capacity;
  const action = 'Raise the number of seats, or deactivate users.';
  const of = (severity: Attention['severity'], code: string, message: string): Attention[] => [
    {
      severity,
      code,
      message,
      action,
      link: 'settings/tenant',
      value: Math.floor(share * 100),
    },
  ];
  if (share >= 1)
    return of('error', 'SEATS_FULL', `All ${capacity} seats are taken: new users are refused.`);
  const message = `${used} of ${capacity} seats are taken.`;
  if (share >= 0.95) return of('warning', 'SEATS_NEARLY_FULL', message);
  return share >= 0.8 ? of('info', 'SEATS_NEARLY_FULL', message) : [];
};

const MISSING = 'IDENTITY_PROVIDER_MISSING';
const SILENT = 'IDENTITY_PROVIDER_SILENT';

const identityProvider = (facts: AttentionFacts): readonly Attention[] => {
  const { identityProvider, now } = facts;
  if (!identityProvider)
    return [
      {
        severity: 'info',
        code: MISSING,
        message: 'No API key is for an identity provider.',
        action: 'Create a key with the scopes scim:read and scim:write, or open the set-up guide.',
        link: 'setup',
      },
    ];
  const { key, lastUsedAt } = identityProvider;
  const about = `The identity provider with the API key "${key.description}"`;
  if (lastUsedAt === null)
    return [
      {
        severity: 'info',
        code: MISSING,
        message: `${about} has not sent a request yet.`,
        action: "Enter the base URL and the key in the identity provider's provisioning settings.",
        link: 'setup',
      },
    ];
  const silentMs = now.getTime() - lastUsedAt.getTime();
  if (silentMs < SILENT_MS || silent(facts).length > 0) return [];
  return [
    {
      severity: 'warning',
      code: SILENT,
      message: `${about} has sent no request for ${Math.floor(silentMs / DAY_MS)} days.`,
      action: 'Check that provisioning is on there, and whether it reports errors.',
      link: 'log?source=scim',
    },
  ];
};

/** The key, and the client that uses it. */
const named = ({ key, connection: { userAgent } }: ConnectionOfKey): string => {
  const client = clientOf(userAgent);
  return `the API key "${key.description}"${client === null ? '' : ` (${client})`}`;
};

const lastRequest = ({ connection }: ConnectionOfKey): number =>
  connection.lastRequestAt?.getTime() ?? 0;

/** Another key has taken its place: of the same client, or with the same label. */
const isReplaced = (one: ConnectionOfKey, all: readonly ConnectionOfKey[]): boolean => {
  const client = clientOf(one.connection.userAgent);
  return all.some(
    (other) =>
      lastRequest(other) > lastRequest(one) &&
      (other.key.description === one.key.description ||
        (client !== null && clientOf(other.connection.userAgent) === client)),
  );
};

const silent = ({ connections, now }: AttentionFacts): readonly Attention[] =>
  connections.filter(isForProvider).flatMap((one) => {
    const silentMs = unusualSilenceMs(one.connection, now);
    if (silentMs === null || isReplaced(one, connections)) return [];
    const { cycles } = one.connection;
    return [
      {
        severity: 'warning',
        code: SILENT,
        message: `The identity provider with ${named(one)} has been ${silenceInWords(silentMs, cycles)}.`,
        action: 'Check that provisioning is on there, and whether it reports errors.',
        link: `connections/${one.key.id}`,
      },
    ];
  });

const oftenRefused = ({ connections }: AttentionFacts): readonly Attention[] =>
  connections.flatMap((one) => {
    const { requests, refused, lastRefusal } = one.connection;
    if (!isOftenRefused(one.connection)) return [];
    const last = lastRefusal ? `, last: ${codeInWords(lastRefusal.code)}` : '';
    return [
      {
        severity: 'warning',
        code: 'REQUESTS_REFUSED',
        message: `${refused} of ${requests} requests with ${named(one)} were refused in the last 24 hours${last}.`,
        action: 'Open the connection: it says why, and when the refusals began.',
        link: `connections/${one.key.id}`,
        value: Math.floor((refused / requests) * 100),
      },
    ];
  });

const MIN_FAILURES = 10;

/**
 * Anyone can send wrong keys; a deleted one is used by a client that worked once. Providers with one
 * may send a few requests an hour.
 */
const failuresToReport = (all: readonly FailedAuthentication[]): readonly FailedAuthentication[] =>
  all.reduce((total, one) => total + one.count, 0) < MIN_FAILURES
    ? all.filter(({ reason }) => reason === 'deleted_key')
    : all;

const notAuthenticated = ({ failures: all }: AttentionFacts): readonly Attention[] => {
  const failures = failuresToReport(all);
  const most = failures.toSorted((one, other) => other.count - one.count)[0];
  if (!most) return [];
  const count = failures.reduce((total, one) => total + one.count, 0);
  const since = failures.reduce(
    (first, { firstAt }) => (firstAt < first ? firstAt : first),
    most.firstAt,
  );
  const { problem, remedy } = failureInWords(most);
  const key = most.keyPrefix === null ? '' : `, with the key ${most.keyPrefix}…`;
  const many =
    count === 1
      ? `One failed authentication on ${timeInWords(since)},`
      : `${count} failed authentications since ${timeInWords(since)},${failures.length === 1 ? '' : ' most'}`;
  return [
    {
      severity: 'warning',
      code: 'AUTHENTICATIONS_FAILED',
      message: `${many} from ${most.address}${key}: ${problem}`,
      action: remedy,
      link: 'connections',
    },
  ];
};

/** The most frequent code. */
const usualCode = (entries: readonly CommandLogEntry[]): string | undefined => {
  const counts = new Map<string, number>();
  for (const { refusal } of entries)
    if (refusal) counts.set(refusal.code, (counts.get(refusal.code) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
};

const commands = (count: number): string =>
  count === 1 ? 'One command was' : `${count} commands were`;

interface Reason {
  /** `change group "Dispatch"` */
  readonly what: string;
  /** And what to do. */
  readonly why: string;
}

/** Of a group or a room only: names of people stay in the log. */
const reasonOf = (entry: CommandLogEntry | undefined): Reason | undefined => {
  const { subject, refusal } = entry ?? {};
  if (!entry || !refusal || (subject?.kind !== 'group' && subject?.kind !== 'room'))
    return undefined;
  const name = subject.name === null ? '' : ` "${subject.name}"`;
  return { what: `${titleOf(entry).toLowerCase()}${name}`, why: refusal.message };
};

const refused = ({ refused: { count, newest } }: AttentionFacts): readonly Attention[] => {
  if (count === 0) return [];
  const code = usualCode(newest);
  const last = reasonOf(newest[0]);
  const most =
    code === undefined ? '' : `${count === 1 ? ':' : ', most often:'} ${codeInWords(code)}`;
  const [message, action] =
    count === 1 && last
      ? [`: ${last.what}`, last.why]
      : [
          most,
          last
            ? `The last, ${last.what}: ${last.why}`
            : 'Open the provisioning log: each entry says why.',
        ];
  const isHeld = newest.some(({ refusal }) => refusal?.code === 'REMOVALS_HELD');
  return [
    ...(isHeld
      ? [
          {
            severity: 'error',
            code: 'REMOVALS_HELD',
            message: 'An API key tried to remove more users or members than it may within an hour.',
            action:
              'Check that its source is complete. If the removals are intended, allow them for the key.',
            link: 'log?outcome=refused',
          } as const,
        ]
      : []),
    {
      severity: 'warning',
      code: 'COMMANDS_REFUSED',
      message: `${commands(count)} refused in the last 24 hours${message}.`,
      action,
      link: 'log?outcome=refused',
    },
  ];
};

const failed = ({ failed: { count } }: AttentionFacts): readonly Attention[] =>
  count === 0
    ? []
    : [
        {
          severity: 'error',
          code: 'COMMANDS_FAILED',
          message: `${commands(count)} not carried out in the last 24 hours because of an internal error.`,
          action: "Search the gateway's log for their request ids.",
          link: 'log?outcome=failed',
        },
      ];

const membersSkipped = ({ skipped }: AttentionFacts): readonly Attention[] => {
  const [newest] = skipped;
  if (!newest) return [];
  const changes = skipped.length === 1 ? 'A change of a group' : 'Changes of groups';
  const name = newest.subject?.name ?? '';
  return [
    {
      severity: 'warning',
      code: 'MEMBERS_SKIPPED',
      message:
        `${changes} left out unknown members in the last 24 hours, the last of the group "${name}": ` +
        `${newest.skipped?.count ?? 0} of its members are no users here.`,
      action:
        "In the identity provider, assign the group's members to the application and push the group again; or leave it as it is.",
      link: `log/${newest.id}`,
    },
  ];
};

/** Long enough to replace a key in an identity provider that someone else administers. */
const EXPIRY_NOTICE_MS = 14 * DAY_MS;

const inDays = (ms: number): string => {
  const days = Math.floor(ms / DAY_MS);
  return days === 0 ? 'within a day' : `in ${days === 1 ? 'a day' : `${days} days`}`;
};

/** Keys that expire soon, and those that expired. */
const expiry = ({ connections, now }: AttentionFacts): readonly Attention[] => {
  const expiring = connections
    .flatMap(({ key: { expiresAt, description } }) =>
      expiresAt ? [{ description, left: expiresAt.getTime() - now.getTime() }] : [],
    )
    .sort((one, other) => one.left - other.left);
  const gone = expiring.filter(({ left }) => left <= 0).at(-1);
  const soon = expiring.filter(({ left }) => left > 0 && left <= EXPIRY_NOTICE_MS);
  const [first] = soon;
  const link = 'settings/api-keys';
  return [
    ...(gone
      ? [
          {
            severity: 'error',
            code: 'API_KEY_EXPIRED',
            message: `The API key "${gone.description}" has expired: requests with it return 401.`,
            action: 'Create a new key where it is still needed, and delete the expired one.',
            link,
          } as const,
        ]
      : []),
    ...(first
      ? [
          {
            severity: 'warning',
            code: 'API_KEY_EXPIRES',
            message:
              soon.length === 1
                ? `The API key "${first.description}" expires ${inDays(first.left)}.`
                : `${soon.length} API keys expire within 14 days, the first, "${first.description}", ${inDays(first.left)}.`,
            action: 'Rotate the key, and enter the new one where it is used.',
            link,
          } as const,
        ]
      : []),
  ];
};

/** What an operator should look at now, apart from extensions. */
const findAttention = (facts: AttentionFacts): readonly Attention[] =>
  [
    ...[seats, identityProvider, expiry, silent, oftenRefused, notAuthenticated],
    ...[failed, refused, membersSkipped],
  ].flatMap((rule) => rule(facts));

const bySeverity = (one: Attention, other: Attention): number =>
  SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity);

const unreadable = ({ name, counts }: NamedOverview): ExtensionOverview => ({
  counts: Object.fromEntries(Object.keys(counts).map((one) => [one, 0])),
  attention: [
    {
      severity: 'warning',
      code: 'PLUGIN_UNAVAILABLE',
      message: `The plugin ${name} did not respond.`,
      action: 'Its health is on the page System.',
      link: null,
    },
  ],
});

/** Entries whose codes are compared. */
const MAX_NEWEST = 100;
/** Tenants that are read at once. */
const PAGE = 100;

type AttentionParts = Pick<
  RouteParts,
  'tenants' | 'apiKeys' | 'connections' | 'commands' | 'activity' | 'extensions' | 'now'
>;

/** What the home page of a tenant lists, and notifications report. */
export const createAttention = (parts: AttentionParts) => {
  const { tenants, connections, commands, activity, extensions, now } = parts;

  const unsuccessful = async (
    { id }: Tenant,
    outcome: 'refused' | 'failed',
    until: Date,
  ): Promise<Unsuccessful> => {
    const since = new Date(until.getTime() - DAY_MS);
    const counted = await activity.count(id, outcome, { from: since, until });
    if (counted === 0) return { count: 0, newest: [] };
    const { entries } = await commands.page(id, { outcome, since, limit: MAX_NEWEST });
    return { count: counted, newest: entries };
  };

  const readConnections = async (tenant: Tenant, at: Date) =>
    connectionsOf(parts, await keysOf(parts, tenant), at);

  /** Only if the tenant leaves them out. */
  const skippedMembers = async ({ id, scim }: Tenant, until: Date) => {
    if (scim.unknownMembers !== 'skip') return [];
    const since = new Date(until.getTime() - DAY_MS);
    return (await commands.page(id, { skipped: true, since, limit: 2 })).entries;
  };

  /** Most severe first, with what was read for it. */
  const of = async (tenant: Tenant) => {
    // A command may have been logged in this millisecond.
    const until = new Date(now().getTime() + 1);
    const [used, failures, refusedNow, failedNow, skipped, added] = await Promise.all([
      readConnections(tenant, until),
      connections.failures(tenant.id, new Date(until.getTime() - HOUR_MS)),
      unsuccessful(tenant, 'refused', until),
      unsuccessful(tenant, 'failed', until),
      skippedMembers(tenant, until),
      Promise.all(
        extensions.overviews.map(async (one) => ({
          name: one.name,
          ...(await one.read(tenant).catch(() => unreadable(one))),
        })),
      ),
    ]);
    const provider = identityProviderIn(
      used.map(({ key, connection: { lastRequestAt, userAgent } }) => ({
        ...{ key, userAgent },
        // A key's own time is stored later.
        lastUsedAt: lastRequestAt,
      })),
    );
    const facts = {
      ...{ tenant, identityProvider: provider, connections: used, failures },
      ...{ refused: refusedNow, failed: failedNow, skipped, now: until },
    };
    const attention = [...findAttention(facts), ...added.flatMap((one) => one.attention)];
    return {
      identityProvider: provider,
      extensions: added,
      attention: attention.sort(bySeverity),
    };
  };

  /** Of these tenants, or of all, one after another. */
  async function* each(slugs?: readonly string[]): AsyncIterable<TenantAttention> {
    for (let offset = 0; ; offset += PAGE) {
      const { tenants: page } = await tenants.page({ offset, limit: PAGE }, slugs ?? null);
      for (const tenant of page) yield { tenant, attention: (await of(tenant)).attention };
      if (page.length < PAGE) return;
    }
  }

  return { of, each };
};
