import type { FailedAuthentication } from '../ports/connections.js';
import type { ApiKeyWithUse } from '../ports/tenants.js';
import type { CommandLogEntry } from '../pipeline/commit-store.js';
import type { Attention } from '../routes/extensions.js';
import type { Tenant } from '../domain/tenant/tenant.js';
import {
  clientOf,
  isOftenRefused,
  silenceInWords,
  unusualSilenceMs,
} from '../domain/tenant/connection.js';
import { titleOf } from '../domain/command-words.js';
import { codeInWords, timeInWords } from '../domain/kernel/in-words.js';
import { type ConnectionOfKey, failureInWords, isForProvider } from './connection-of-key.js';
import { isGiven, type Maybe } from './explanation.js';
import { someOf } from './sentences.js';

interface AttentionFacts {
  readonly tenant: Tenant;
  /** The key that an identity provider used last, or was created for one. */
  readonly identityProvider: Pick<ApiKeyWithUse, 'key' | 'lastUsedAt'> | undefined;
  readonly connections: readonly ConnectionOfKey[];
  /** Of the last hour, at least. */
  readonly failures: readonly FailedAuthentication[];
  /** Commands in the last 24 hours: how many were refused, the newest of them, and how many failed. */
  readonly refusedCount: number;
  readonly refused: readonly CommandLogEntry[];
  /** Of groups without a room or role mapping, the last push of each in the last 7 days. */
  readonly refusedGroups: readonly CommandLogEntry[];
  readonly failedCount: number;
  /** Changes of groups in the last 24 hours that left out unknown members: the newest first. */
  readonly skipped: readonly CommandLogEntry[];
  readonly now: Date;
}

const DAY_MS = 24 * 3_600_000;
/** Identity providers that have nothing to say are silent; Okta for days. */
const SILENT_MS = 7 * DAY_MS;
/** Long enough to replace a key in an identity provider that someone else administers. */
const EXPIRY_NOTICE_MS = 14 * DAY_MS;

/** What an operator should look at now, apart from extensions. */
export const findAttention = (facts: AttentionFacts): readonly Attention[] => {
  const silent = facts.connections.map((one) => silentConnection(one, facts)).filter(isGiven);
  return [
    // Of the same severity, what has a deadline comes first.
    expiredKey(facts),
    expiringKeys(facts),
    seats(facts.tenant),
    silent.length === 0 && identityProvider(facts),
    ...silent,
    ...facts.connections.map(oftenRefused),
    notAuthenticated(facts),
    failedCommands(facts),
    heldRemovals(facts),
    refusedGroups(facts),
    refusedCommands(facts),
    skippedMembers(facts),
  ].filter(isGiven);
};

const seats = ({ seatCapacity: capacity, seatsProvisioned: used }: Tenant): Maybe<Attention> => {
  if (capacity === null) return undefined;
  const share = capacity === 0 ? 1 : used / capacity;
  const isFull = share >= 1;
  return (
    share >= 0.8 && {
      severity: isFull ? 'error' : share >= 0.95 ? 'warning' : 'info',
      code: isFull ? 'SEATS_FULL' : 'SEATS_NEARLY_FULL',
      message: isFull
        ? `All ${capacity} seats are taken: new users are refused.`
        : `${used} of ${capacity} seats are taken.`,
      action: 'Raise the number of seats, or deactivate users.',
      link: 'settings/tenant',
      value: Math.floor(share * 100),
    }
  );
};

const MISSING = { severity: 'info', code: 'IDENTITY_PROVIDER_MISSING', link: 'setup' } as const;

const SILENT = {
  severity: 'warning',
  code: 'IDENTITY_PROVIDER_SILENT',
  action: 'Check that provisioning is on there, and whether it reports errors.',
} as const;

const identityProvider = ({ identityProvider, now }: AttentionFacts): Maybe<Attention> => {
  if (!identityProvider)
    return {
      ...MISSING,
      message: 'No API key is for an identity provider.',
      action: 'Create a key with the scopes scim:read and scim:write, or open the set-up guide.',
    };
  const { key, lastUsedAt } = identityProvider;
  const about = `The identity provider with the API key "${key.description}"`;
  if (lastUsedAt === null)
    return {
      ...MISSING,
      message: `${about} has not sent a request yet.`,
      action: "Enter the base URL and the key in the identity provider's provisioning settings.",
    };
  const silentMs = now.getTime() - lastUsedAt.getTime();
  return (
    silentMs >= SILENT_MS && {
      ...SILENT,
      message: `${about} has sent no request for ${Math.floor(silentMs / DAY_MS)} days.`,
      link: 'log?source=scim',
    }
  );
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

const silentConnection = (one: ConnectionOfKey, facts: AttentionFacts): Maybe<Attention> => {
  const silentMs = isForProvider(one) ? unusualSilenceMs(one.connection, facts.now) : null;
  if (silentMs === null || isReplaced(one, facts.connections)) return undefined;
  const silence = silenceInWords(silentMs, one.connection.cycles);
  return {
    ...SILENT,
    message: `The identity provider with ${named(one)} has been ${silence}.`,
    link: `connections/${one.key.id}`,
  };
};

const oftenRefused = (one: ConnectionOfKey): Maybe<Attention> => {
  const { requests, refused, lastRefusal } = one.connection;
  const last = lastRefusal ? `, last: ${codeInWords(lastRefusal.code)}` : '';
  return (
    isOftenRefused(one.connection) && {
      severity: 'warning',
      code: 'REQUESTS_REFUSED',
      message: `${refused} of ${requests} requests with ${named(one)} were refused in the last 24 hours${last}.`,
      action: 'Open the connection: it says why, and when the refusals began.',
      link: `connections/${one.key.id}`,
      value: Math.floor((refused / requests) * 100),
    }
  );
};

const MIN_FAILURES = 10;

const countOf = (failures: readonly FailedAuthentication[]): number =>
  failures.reduce((total, { count }) => total + count, 0);

/** The key has worked since; of a missing scope, other requests with it work all the time. */
const worksNow = (
  { reason, keyPrefix, lastAt }: FailedAuthentication,
  { connections }: AttentionFacts,
): boolean =>
  reason !== 'missing_scope' &&
  connections.some(
    ({ key, connection: { lastSuccessAt } }) =>
      key.prefix === keyPrefix && lastSuccessAt !== null && lastSuccessAt > lastAt,
  );

const notAuthenticated = (facts: AttentionFacts): Maybe<Attention> => {
  const all = facts.failures.filter((one) => !worksNow(one, facts));
  // Anyone can send wrong keys; a deleted one is used by a client that worked once. Providers with
  // one may send a few requests an hour.
  const failures =
    countOf(all) < MIN_FAILURES ? all.filter(({ reason }) => reason === 'deleted_key') : all;
  const [most] = failures.toSorted((one, other) => other.count - one.count);
  if (!most) return undefined;
  const count = countOf(failures);
  const first = Math.min(...failures.map(({ firstAt }) => firstAt.getTime()));
  const since = timeInWords(new Date(first));
  const { problem, remedy } = failureInWords(most);
  const key = most.keyPrefix === null ? '' : `, with the key ${most.keyPrefix}…`;
  const many =
    count === 1
      ? `One failed authentication on ${since},`
      : `${count} failed authentications since ${since},${failures.length === 1 ? '' : ' most'}`;
  return {
    severity: 'warning',
    code: 'AUTHENTICATIONS_FAILED',
    message: `${many} from ${most.address}${key}: ${problem}`,
    action: remedy,
    link: 'connections',
  };
};

const commands = (count: number): string =>
  count === 1 ? 'One command was' : `${count} commands were`;

const refusedCommands = ({ refusedCount: count, refused }: AttentionFacts): Maybe<Attention> => {
  const [last] = refused;
  if (count === 0 || !last?.refusal) return undefined;
  const { subject, refusal } = last;
  // Names of people stay in the log.
  const name = subject?.kind === 'group' || subject?.kind === 'room' ? subject.name : null;
  const what =
    name === null ? codeInWords(refusal.code) : `${titleOf(last).toLowerCase()} "${name}"`;
  return {
    severity: 'warning',
    code: 'COMMANDS_REFUSED',
    message: `${commands(count)} refused in the last 24 hours${count === 1 ? '' : ', the last'}: ${what}.`,
    action: name === null ? 'Open the provisioning log: each entry says why.' : refusal.message,
    link: 'log?outcome=refused',
  };
};

const refusedGroups = ({ refusedGroups: refused }: AttentionFacts): Maybe<Attention> => {
  const count = refused.length;
  const were = count === 1 ? 'One group was' : `${count} groups were`;
  const names = someOf(refused.map(({ subject }) => `"${subject?.name ?? ''}"`));
  return (
    count > 0 && {
      severity: 'warning',
      code: 'GROUPS_REFUSED',
      message: `${were} refused in the last 7 days: no room or role mapping is named ${names}.`,
      action: 'Create a room, map the group to a room or to a role, or ignore its name.',
      link: 'groups',
      value: count,
    }
  );
};

const heldRemovals = ({ refused }: AttentionFacts): Maybe<Attention> =>
  refused.some(({ refusal }) => refusal?.code === 'REMOVALS_HELD') && {
    severity: 'error',
    code: 'REMOVALS_HELD',
    message: 'An API key tried to remove more users or members than it may within an hour.',
    action:
      'Check that its source is complete. If the removals are intended, allow them for the key.',
    link: 'log?outcome=refused',
  };

const failedCommands = ({ failedCount: count }: AttentionFacts): Maybe<Attention> =>
  count > 0 && {
    severity: 'error',
    code: 'COMMANDS_FAILED',
    message: `${commands(count)} not carried out in the last 24 hours because of an internal error.`,
    action: "Search the gateway's log for their request ids.",
    link: 'log?outcome=failed',
  };

const skippedMembers = ({ skipped }: AttentionFacts): Maybe<Attention> => {
  const [newest] = skipped;
  const changes = skipped.length === 1 ? 'A change of a group' : 'Changes of groups';
  return (
    newest && {
      severity: 'warning',
      code: 'MEMBERS_SKIPPED',
      message:
        `${changes} left out unknown members in the last 24 hours, the last of the group ` +
        `"${newest.subject?.name ?? ''}": ${newest.skipped?.count ?? 0} of its members are no users here.`,
      action:
        "In the identity provider, assign the group's members to the application and push the group again; or leave it as it is.",
      link: `log/${newest.id}`,
    }
  );
};

/** The time that is left, of keys that expire and are in use; negative: they have expired. */
const keysExpiring = ({ connections, now }: AttentionFacts) =>
  connections
    // One client may use two keys: a key is replaced once it has had no request for a day.
    .filter((one) => now.getTime() - lastRequest(one) < DAY_MS || !isReplaced(one, connections))
    .flatMap(({ key: { expiresAt, description } }) =>
      expiresAt ? [{ description, left: expiresAt.getTime() - now.getTime() }] : [],
    )
    .sort((one, other) => one.left - other.left);

const expiredKey = (facts: AttentionFacts): Maybe<Attention> => {
  const last = keysExpiring(facts).findLast(({ left }) => left <= 0);
  return (
    last && {
      severity: 'error',
      code: 'API_KEY_EXPIRED',
      message: `The API key "${last.description}" has expired: requests with it return 401.`,
      action: 'Create a new key where it is still needed, and delete the expired one.',
      link: 'settings/api-keys',
    }
  );
};

const expiringKeys = (facts: AttentionFacts): Maybe<Attention> => {
  const soon = keysExpiring(facts).filter(({ left }) => left > 0 && left <= EXPIRY_NOTICE_MS);
  const [first] = soon;
  if (!first) return undefined;
  const days = Math.floor(first.left / DAY_MS);
  const when = days === 0 ? 'within a day' : `in ${days === 1 ? 'a day' : `${days} days`}`;
  return {
    severity: 'warning',
    code: 'API_KEY_EXPIRES',
    message:
      soon.length === 1
        ? `The API key "${first.description}" expires ${when}.`
        : `${soon.length} API keys expire within 14 days, the first, "${first.description}", ${when}.`,
    action: 'Rotate the key, and enter the new one where it is used.',
    link: 'settings/api-keys',
  };
};
