import type { JsonObject, UserId } from '../../../src/plugin/api.js';
import type { CompiledConnector } from '../compile-connector.js';
import type { IsoDate } from '../iso-date.js';
import { DateError, readStage } from '../lifecycle.js';
import type { Link } from '../link.js';
import type { Attributes } from '../mapping/attributes.js';
import type { RecordInput } from '../record-input.js';
import type { ConnectorStore } from '../run/connector-store.js';
import { type Gateway, keyed } from '../run/gateway.js';
import type { IdSet } from '../id-set.js';
import { isIgnored, isWaiting, TAKEOVER, wantsNewUser } from '../run/quarantine.js';
import type { QuarantinedRecord } from '../run/run-record.js';
import {
  type Claim,
  type FormerRecord,
  type Identities,
  type Identity,
  NEW_PERSON,
  type UserKey,
} from './identities.js';
import { type Match, matchUsers } from './match-users.js';
import { maySamePerson } from './same-person.js';

export interface IdentifyParts {
  readonly compiled: CompiledConnector;
  readonly store: ConnectorStore;
  readonly gateway: Gateway;
  readonly runId: string;
  /** Whether quarantine is no reason to pass over a record. */
  readonly isForced: boolean;
  /** Whether a record that was not read is not in the source. */
  readonly isComplete: boolean;
  /** Record ids that were read and are not staged: nothing has changed. */
  readonly unchanged: Pick<IdSet, 'has'>;
  readonly today: IsoDate;
  readonly now: Date;
}

/** Records to identify. Those that were not read are planned only if they take over a user. */
export interface IdentifyPage {
  readonly records: readonly RecordInput[];
  readonly isRead: boolean;
}

/** A record that has no user, of a person who has not left. */
interface Candidate extends RecordInput {
  /** `unclear`: its dates cannot be used. */
  readonly stage: 'active' | 'future' | 'unclear';
  readonly attributes: Attributes;
  readonly quarantined: QuarantinedRecord | undefined;
  readonly isRead: boolean;
}

type Matched = Candidate & Extract<Match, { kind: 'one' }>;

/** A record that has the matched user, and its link. */
interface Owner extends FormerRecord {
  readonly link: Link;
}

interface Vacating {
  readonly sourceId: string;
  /** Whether the run has nothing new of it, so that it is not planned otherwise. */
  readonly isStored: boolean;
}

interface Decision {
  readonly identity: Identity;
  /** Absent: the record has no claim on the user. */
  readonly claim?: Claim['state'];
  /** The record that gives up the user's address. */
  readonly vacates?: Vacating;
}

/** What was found so far. */
interface Found {
  readonly identities: Map<string, Identity>;
  /** The id of the record alone if it gets the user: in a first run, most users have such a claim. */
  readonly claims: Map<UserId, string | OpenClaim>;
  readonly vacated: Map<UserId, Vacating>;
  readonly ready: string[];
}

/** A claim that gives the record nothing yet. `contested`: several records could have the user. */
interface OpenClaim {
  readonly sourceId: string;
  readonly state: 'future' | 'waits' | 'contested';
  readonly by: UserKey;
}

/**
 * Decides who the records are that have no user yet. It sees all of them before anything is planned, so
 * that their order decides nothing. In memory are only those that match a user.
 */
export const identify = async (
  pages: AsyncIterable<IdentifyPage>,
  parts: IdentifyParts,
): Promise<Identities> => {
  const found: Found = {
    identities: new Map(),
    claims: new Map(),
    vacated: new Map(),
    ready: [],
  };
  for await (const page of pages) await identifyPage(page, found, parts);
  const of: Identities['of'] = (sourceId) => found.identities.get(sourceId) ?? NEW_PERSON;
  return {
    of,
    claimOn: (userId) => (userId === null ? undefined : claimOn(userId, found)),
    isVacated: (userId) => userId !== null && found.vacated.has(userId),
    vacating: [...found.vacated.values()].flatMap((one) => (one.isStored ? one.sourceId : [])),
    ready: found.ready.filter((sourceId) => of(sourceId).kind === 'takes over'),
  };
};

const claimOn = (userId: UserId, { claims, identities }: Found): Claim | undefined => {
  const claim = claims.get(userId);
  if (claim === undefined) return undefined;
  if (typeof claim !== 'string')
    return {
      sourceId: claim.sourceId,
      state: claim.state === 'future' ? 'future' : 'waits',
      why: `has the same ${claim.by}`,
    };
  const identity = identities.get(claim);
  return identity?.kind === 'takes over'
    ? { sourceId: claim, state: 'applied', why: `has the same ${identity.by}` }
    : undefined;
};

const identifyPage = async (
  page: IdentifyPage,
  found: Found,
  parts: IdentifyParts,
): Promise<void> => {
  const candidates = await candidatesOf(page, parts);
  const matches = await matchUsers(candidates, parts);
  const matched: Matched[] = [];
  for (const candidate of candidates) {
    const match = matches.get(candidate.sourceId);
    if (match?.kind === 'one') matched.push({ ...candidate, ...match });
    else if (match) found.identities.set(candidate.sourceId, ambiguous(match.message));
  }
  if (matched.length === 0) return;
  const owners = await ownersOf(
    matched.map(({ user }) => user.id),
    parts,
  );
  const newest = await newestOf([...owners.values()], parts);
  for (const one of matched) {
    const owner = owners.get(one.user.id);
    note(found, one, await decide(one, owner, { ...parts, newest }));
  }
};

/** Records with a living link are who the link says, and who has left wants no user. */
const candidatesOf = async (
  { records, isRead }: IdentifyPage,
  { compiled, store, today }: IdentifyParts,
): Promise<readonly Candidate[]> => {
  const links = await store.linkStates.many(records.map(({ sourceId }) => sourceId));
  const quarantine = await store.quarantine.many(records.map(({ sourceId }) => sourceId));
  const candidates: Candidate[] = [];
  for (const record of records) {
    const quarantined = quarantine.get(record.sourceId);
    const hasUser = links.get(record.sourceId)?.userId != null && !wantsNewUser(quarantined);
    if (hasUser || isIgnored(quarantined, record.hash)) continue;
    const stage = readStage(record.data, compiled.lifecycle, today);
    const state = stage instanceof DateError ? 'unclear' : stage.state;
    if (state === 'left') continue;
    const attributes = await compiled.mapping.mapIdentity(record.data);
    candidates.push({ ...record, isRead, stage: state, attributes, quarantined });
  }
  return candidates;
};

/** Who has these users, by user. */
export const ownersOf = async (
  userIds: readonly UserId[],
  { store }: Pick<IdentifyParts, 'store'>,
): Promise<ReadonlyMap<UserId, Owner>> => {
  const stored = await store.owners(userIds);
  const links = await store.linksOfOwners([...stored.values()]);
  const owners = new Map<UserId, Owner>();
  for (const [userId, { connector, sourceId }] of stored) {
    const link = links.get(`${connector}:${sourceId}`);
    // A link that has ended leaves its entry behind.
    if (link?.userId === userId) owners.set(link.userId, { connector, sourceId, link });
  }
  return owners;
};

/**
 * The newest data of the records that have the users, by record id; null: unreadable. Not in the map:
 * the source has them no more.
 */
const newestOf = async (
  owners: readonly Owner[],
  { store, gateway, runId, isComplete, unchanged }: IdentifyParts,
): Promise<ReadonlyMap<string, JsonObject | null>> => {
  const links = owners.flatMap(({ connector, link }) =>
    connector === gateway.connector ? [link] : [],
  );
  const ids = links.map(({ sourceId }) => sourceId);
  const staged = await store.staged(runId).many(ids);
  const waiting = await store.quarantine.many(ids);
  return new Map(
    links.flatMap(({ sourceId, hash, data, deferred }): [string, JsonObject | null][] => {
      const read = staged.get(sourceId);
      if (!read && unchanged.has(sourceId)) return [[sourceId, data]];
      const isGone = isComplete || deferred !== undefined;
      if (read?.kind === 'tombstone' || (!read && isGone)) return [];
      if (read?.kind === 'record') return [[sourceId, read.hash === hash ? data : read.data]];
      if (read) return [[sourceId, null]];
      const newer = waiting.get(sourceId);
      return [[sourceId, newer && newer.hash !== hash ? newer.data : data]];
    }),
  );
};

type DecideParts = IdentifyParts & {
  readonly newest: Awaited<ReturnType<typeof newestOf>>;
};

/** Whether the record may have the user that it matches. */
const decide = async (
  one: Matched,
  owner: Owner | undefined,
  parts: DecideParts,
): Promise<Decision> => {
  const { user, by } = one;
  if (!owner) return takeOver(one, undefined, parts);
  const { connector, sourceId, link } = owner;
  const isOwn = connector === parts.gateway.connector;
  const data = isOwn ? parts.newest.get(sourceId) : link.data;
  const stands = isOwn ? standsForUser(link, data, parts) : link.state !== 'left';
  const isGiven = await hasGivenAway(data ?? link.data, one, parts);
  // A user may work on for this source after the connector of the other one has deactivated them.
  if (stands && !isOwn)
    return waits(
      'USER_TAKEN',
      `The user with the same ${by} belongs to the connector ${connector}.`,
    );
  if (stands && !isGiven)
    return { identity: ambiguous(`The record ${sourceId} has the user with the same ${by}.`) };
  // Who has given an address away is another person than the one who gets it.
  if (isGiven) {
    const vacates = { sourceId, isStored: (data ?? link.data) === link.data };
    return { identity: NEW_PERSON, ...(!stands && isOwn && { vacates }) };
  }
  const mapped = await parts.compiled.mapping.map(one.data);
  const attributes = mapped.ok ? mapped.attributes : one.attributes;
  if (!hasConsent(one) && !maySamePerson(user, attributes, by))
    return waits(
      TAKEOVER,
      `The record has the ${by} of ${user.profile.userName}, the account of the record ${sourceId}, ` +
        'which has ended, but other names. If they are one person, retry the record: it takes over ' +
        'the account. Else change the address of the account.',
    );
  return takeOver(one, owner, { ...parts, isMapped: mapped.ok });
};

/** Whether a linked record still is its user. */
const standsForUser = (
  { state }: Link,
  data: JsonObject | null | undefined,
  { compiled, today }: IdentifyParts,
): boolean => {
  if (data === undefined) return false;
  const stage = data === null ? undefined : readStage(data, compiled.lifecycle, today);
  if (!stage || stage instanceof DateError || stage.state === 'future') return state === 'active';
  return stage.state === 'active';
};

/** Whether the record that has the user has another value by now. */
const hasGivenAway = async (
  data: JsonObject,
  { by, key, data: own, attributes }: Matched,
  { compiled }: IdentifyParts,
): Promise<boolean> => {
  const value = key.valueOf(data, await compiled.mapping.mapIdentity(data));
  return value !== undefined && keyed(by, value) !== keyed(by, key.valueOf(own, attributes) ?? '');
};

/** An operator has retried a record that waited for a decision. */
const hasConsent = ({ quarantined, hash }: Candidate): boolean =>
  quarantined?.code === TAKEOVER && quarantined.hash === hash && quarantined.nextAt !== null;

/** Refusals that may end as soon as another record has ended. */
const ENDS_WITH_OTHERS: ReadonlySet<string> = new Set([
  ...['AMBIGUOUS', 'USER_TAKEN', TAKEOVER],
  ...['EMAIL_TAKEN', 'USERNAME_TAKEN'],
]);

const takeOver = (
  one: Matched,
  from: Owner | undefined,
  { now, isForced, isMapped = true }: DecideParts & { readonly isMapped?: boolean },
): Decision => {
  const { stage, quarantined, hash, user, by } = one;
  // A refused takeover is tried as often as any refused change, and keeps the user for a while only.
  const isFreed =
    from !== undefined && !from.link.deferred && ENDS_WITH_OTHERS.has(quarantined?.code ?? '');
  const isDue = one.isRead ? isForced || !isWaiting(quarantined, hash, now) : false;
  const isUsable = stage === 'active' && isMapped && (isDue || isFreed);
  const former = from && { connector: from.connector, sourceId: from.sourceId };
  return {
    identity: { kind: 'takes over', userId: user.id, by, from: former ?? null },
    claim: isUsable ? 'applied' : stage === 'future' ? 'future' : 'waits',
  };
};

const ambiguous = (message: string): Identity => ({ kind: 'waits', code: 'AMBIGUOUS', message });
const waits = (code: string, message: string): Decision => ({
  identity: { kind: 'waits', code, message },
});

const RANK = { future: 0, waits: 1, applied: 2, contested: 3 };

const stateOf = (claim: string | OpenClaim) =>
  typeof claim === 'string' ? 'applied' : claim.state;

/** Of two records with the same right to a user, neither gets it. */
const note = (found: Found, one: Matched, { identity, claim, vacates }: Decision): void => {
  const { sourceId, user, by } = one;
  const { identities, claims } = found;
  if (vacates) found.vacated.set(user.id, vacates);
  if (claim === undefined || claim === 'applied') identities.set(sourceId, identity);
  if (claim === undefined) return;
  const other = claims.get(user.id);
  if (claim === 'applied' && !one.isRead) found.ready.push(sourceId);
  if (other === undefined || RANK[claim] > RANK[stateOf(other)])
    claims.set(user.id, claim === 'applied' ? sourceId : { sourceId, state: claim, by });
  else if (claim === 'applied') {
    const first = typeof other === 'string' ? other : other.sourceId;
    const matches = (id: string): Identity => ambiguous(`The record ${id} matches the same user.`);
    identities.set(sourceId, matches(first));
    identities.set(first, matches(sourceId));
    claims.set(user.id, { sourceId: first, state: 'contested', by });
  }
};
