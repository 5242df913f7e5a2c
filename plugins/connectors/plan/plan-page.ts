import type { JsonObject, User, UserId } from '../../../src/plugin/api.js';
import type { CompiledConnector } from '../compile-connector.js';
import type { IsoDate } from '../iso-date.js';
import { DateError, readStage, type Stage } from '../lifecycle.js';
import type { Link } from '../link.js';
import type { Attributes } from '../mapping/attributes.js';
import type { ConnectorStore } from '../run/connector-store.js';
import { type Gateway, keyed } from '../run/gateway.js';
import type { IdSet } from '../run/id-set.js';
import type { QuarantinedRecord } from '../run/run-record.js';
import { chooseMatch, type Match, type UserKey } from './correlate.js';
import { changedManagers, readyManagers } from './find-managers.js';
import type { GroupNames } from './group-names.js';
import { groupsOfRecord } from './group-rules.js';
import {
  forgetAbsence,
  isSettled,
  type Planned,
  planRecord,
  planTombstone,
  type RecordFacts,
  type RecordFailure,
} from './plan-record.js';

/** A record to plan, or a deletion. */
export type Input =
  | { readonly sourceId: string; readonly data: JsonObject; readonly hash: string }
  | { readonly sourceId: string; readonly isDeleted: true };

export interface PagePlan {
  readonly sourceId: string;
  readonly planned: Planned;
  /** For a failure: what to keep of the record. */
  readonly record?: { readonly data: JsonObject; readonly hash: string };
  readonly quarantined?: QuarantinedRecord;
}

/**
 * Plans pages of records: first all who are employed, then those who leave. Only then is it known
 * whether another record stands for the user of a leaver.
 */
export interface PagePlanner {
  /** Leavers are only noted. */
  readonly plan: (inputs: readonly Input[]) => Promise<readonly PagePlan[]>;
  /** The record ids of the leavers that `plan` has met; null: too many to remember. */
  readonly leavers: () => readonly string[] | null;
  /** The leavers among records that `plan` has had. */
  readonly planLeavers: (inputs: readonly Input[]) => Promise<readonly PagePlan[]>;
  /** Records that wait in quarantine and are not among those of the run. */
  readonly addWaiting: (waiting: readonly QuarantinedRecord[]) => Promise<void>;
  /** Whether a record without a link stands for the user, of a future hire too. */
  readonly isNamed: (userId: UserId | null) => boolean;
}

export interface PagePlannerParts {
  readonly compiled: CompiledConnector;
  readonly store: ConnectorStore;
  readonly gateway: Gateway;
  readonly groups: GroupNames;
  readonly runId: string;
  /** Whether quarantine and unchanged hashes are no reason to pass over a record. */
  readonly isForced: boolean;
  /** Whether the records come from a read; else only their dates have come. */
  readonly isRead: boolean;
  /** Whether a record that was not read is not in the source. */
  readonly isComplete: boolean;
  /** Record ids that were read and are not staged: nothing has changed. */
  readonly unchanged: Pick<IdSet, 'has'>;
  readonly today: IsoDate;
  readonly now: Date;
}

interface Prepared {
  readonly input: RecordInput;
  readonly link: Link | undefined;
  readonly stage: Stage;
  readonly attributes: Attributes;
  readonly groupNames: readonly string[];
  readonly isManagerChanged?: boolean;
}

export type RecordInput = Extract<Input, { data: JsonObject }>;

/** What is stored of the records of a page. */
interface Known {
  readonly links: ReadonlyMap<string, Link>;
  readonly quarantined: ReadonlyMap<string, QuarantinedRecord>;
}

/** A record that may stand for a user. */
type Candidate = Pick<Prepared, 'attributes'> & {
  readonly input: Pick<RecordInput, 'sourceId' | 'data'>;
};

/** A record stays in quarantine until it changes or its next try is due. */
const isWaiting = (quarantined: QuarantinedRecord | undefined, hash: string, now: Date): boolean =>
  quarantined?.hash === hash &&
  (quarantined.isIgnored ||
    quarantined.nextAt === null ||
    Date.parse(quarantined.nextAt) > now.getTime());

/** Plans pages of records with few reads for each. */
export const createPagePlanner = (parts: PagePlannerParts): PagePlanner => {
  const { compiled, store, gateway, groups, today, now } = parts;
  const { runId, isForced, isRead, isComplete, unchanged } = parts;
  const { rules } = compiled;
  const settledParts = { today, rules, lookUp: groups.lookUp };
  /** Users who were matched in this run, and by which record. */
  const claimed = new Map<UserId, string>();
  /** Users named by a record without a link, and whether the person is employed today. */
  const named = new Map<UserId, boolean>();
  const leavers: string[] = [];

  const stageNow = (data: JsonObject): Stage | RecordFailure => {
    const stage = readStage(data, compiled.lifecycle, today);
    return stage instanceof DateError ? { code: 'DATE', message: `${stage.message}.` } : stage;
  };

  /** Who has left, in the stage's own words; undefined: `plan` takes care of the record. */
  const leavingStage = (input: Input, { links, quarantined }: Known): Stage | undefined => {
    const link = links.get(input.sourceId);
    if ('isDeleted' in input) return link && link.state !== 'left' ? DELETED : undefined;
    const stage = stageNow(input.data);
    if ('code' in stage || stage.state !== 'left') return undefined;
    if (isSettled({ link, user: undefined, hash: input.hash, stage }, settledParts))
      return undefined;
    const waiting = quarantined.get(input.sourceId);
    // Who has left is deactivated, whatever else is wrong with their record.
    const isUrgent = waiting?.isIgnored !== true && link !== undefined && link.state !== 'left';
    return isForced || isUrgent || !isWaiting(waiting, input.hash, now) ? stage : undefined;
  };

  const prepare = async (
    input: RecordInput,
    stage: Stage,
    link: Link | undefined,
  ): Promise<Prepared | RecordFailure> => {
    const mapped = await compiled.mapping.map(input.data);
    if (!mapped.ok && stage.state !== 'left') return { code: 'MAPPING', message: mapped.message };
    return {
      input,
      link,
      stage,
      attributes: mapped.ok
        ? mapped.attributes
        : // Nothing was ever applied of who had left when they were read first: their id is their name.
          { userName: input.sourceId, ...link?.applied },
      groupNames:
        stage.state === 'active' ? groupsOfRecord(input.data, compiled.options.groups) : [],
    };
  };

  const matchAll = async (
    candidates: readonly Candidate[],
  ): Promise<ReadonlyMap<string, Match>> => {
    const found = new Map<string, { by: UserKey; users: readonly User[] }[]>();
    let open = candidates;
    for (const { by, valueOf } of compiled.match) {
      const values = open.flatMap((one) => {
        const value = valueOf(one.input.data, one.attributes);
        return value === undefined ? [] : [{ one, value }];
      });
      const users = await gateway.findUsers(
        by,
        values.map(({ value }) => value),
      );
      for (const { one, value } of values)
        found.set(one.input.sourceId, [
          ...(found.get(one.input.sourceId) ?? []),
          { by, users: users.get(keyed(by, value)) ?? [] },
        ]);
      open = open.filter(({ input }) => !found.get(input.sourceId)?.at(-1)?.users.length);
    }
    return new Map([...found].map(([id, candidates]) => [id, chooseMatch(candidates)]));
  };

  /** Notes for which users records without a link stand. */
  const name = (matches: ReadonlyMap<string, Match>, isEmployed: (sourceId: string) => boolean) => {
    for (const [sourceId, match] of matches)
      if (match.kind === 'one')
        named.set(match.user.id, named.get(match.user.id) === true || isEmployed(sourceId));
  };

  /** Records that name their users, but for which nothing is planned now. */
  const nameOnly = async (
    inputs: readonly Pick<RecordInput, 'sourceId' | 'data'>[],
  ): Promise<void> => {
    const employed = new Set<string>();
    const candidates: Candidate[] = [];
    for (const input of inputs) {
      const stage = stageNow(input.data);
      if (!('code' in stage) && stage.state === 'left') continue;
      if ('code' in stage || stage.state === 'active') employed.add(input.sourceId);
      candidates.push({ input, attributes: await compiled.mapping.mapIdentity(input.data) });
    }
    if (candidates.length > 0) name(await matchAll(candidates), (id) => employed.has(id));
  };

  /** Who has the matched users already. */
  const ownersOf = async (
    matches: ReadonlyMap<string, Match>,
  ): Promise<ReadonlyMap<string, NonNullable<RecordFacts['taken']>>> => {
    const ids = [...matches.values()].flatMap((match) =>
      match.kind === 'one' ? [match.user.id] : [],
    );
    if (ids.length === 0) return new Map();
    const owners = await store.owners(ids);
    const mine = [...owners.values()].filter(({ connector }) => connector === gateway.connector);
    const links = await store.links.many(mine.map(({ sourceId }) => sourceId));
    const taken = new Map<string, NonNullable<RecordFacts['taken']>>();
    for (const [userId, { connector, sourceId }] of owners) {
      const link = links.get(sourceId);
      if (connector !== gateway.connector) taken.set(userId, { connector, link: undefined });
      // A link that has ended leaves its entry behind.
      else if (link?.userId === userId) taken.set(userId, { connector, link });
    }
    return taken;
  };

  /**
   * The newest data of linked records, by record id; null: unreadable. Not in the map: the source has
   * them no more.
   */
  const newestOf = async (
    links: readonly Link[],
  ): Promise<ReadonlyMap<string, JsonObject | null>> => {
    const ids = links.map(({ sourceId }) => sourceId);
    const [staged, waiting] = [
      await store.staged(runId).many(ids),
      await store.quarantine.many(ids),
    ];
    return new Map(
      links.flatMap(({ sourceId, hash, data }): [string, JsonObject | null][] => {
        const read = staged.get(sourceId);
        if (!read && unchanged.has(sourceId)) return [[sourceId, data]];
        if (read?.kind === 'tombstone' || (!read && isComplete)) return [];
        if (read) return [[sourceId, read.kind === 'record' ? read.data : null]];
        const newer = waiting.get(sourceId);
        return [[sourceId, newer && newer.hash !== hash ? newer.data : data]];
      }),
    );
  };

  /** Whether a linked record still stands for its user. */
  const standsForUser = ({ state }: Link, data: JsonObject | null | undefined): boolean => {
    if (data === undefined) return false;
    const stage = data === null ? undefined : stageNow(data);
    if (!stage || 'code' in stage || stage.state === 'future') return state === 'active';
    return stage.state === 'active';
  };

  /** A match with a user whose own record stands for them is none, or cannot be decided. */
  const withoutOwned = async (
    prepared: readonly Prepared[],
    matches: ReadonlyMap<string, Match>,
    owners: ReadonlyMap<string, NonNullable<RecordFacts['taken']>>,
  ): Promise<ReadonlyMap<string, Match>> => {
    const newest = await newestOf([...owners.values()].flatMap(({ link }) => link ?? []));
    const result = new Map(matches);
    for (const { input, attributes } of prepared) {
      const match = matches.get(input.sourceId);
      const link = match?.kind === 'one' ? owners.get(match.user.id)?.link : undefined;
      const data = link && newest.get(link.sourceId);
      if (match?.kind !== 'one' || !link || !standsForUser(link, data)) continue;
      const key = compiled.match.find(({ by }) => by === match.by);
      const mapped = data && (await compiled.mapping.map(data));
      const value = mapped?.ok && data ? key?.valueOf(data, mapped.attributes) : undefined;
      // The other person has another address in this export: this one is free in a moment.
      const isGivenAway =
        value !== undefined &&
        keyed(match.by, value) !== keyed(match.by, key?.valueOf(input.data, attributes) ?? '');
      const message = `The record ${link.sourceId} stands for the user with the same ${match.by}.`;
      result.set(input.sourceId, isGivenAway ? { kind: 'none' } : { kind: 'ambiguous', message });
    }
    return result;
  };

  const knownOf = async (inputs: readonly Input[]): Promise<Known> => {
    const ids = inputs.map(({ sourceId }) => sourceId);
    return { links: await store.links.many(ids), quarantined: await store.quarantine.many(ids) };
  };

  const usersOf = (links: readonly Link[]) =>
    gateway.findUsers(
      'id',
      links.flatMap(({ userId }) => userId ?? []),
    );

  /** Collects the plans of a page. */
  const startPage = ({ links, quarantined }: Known) => {
    const plans: PagePlan[] = [];
    const keep = (sourceId: string, planned: Planned, record?: PagePlan['record']): void => {
      const waiting = quarantined.get(sourceId);
      plans.push({
        sourceId,
        planned,
        ...(record && { record }),
        ...(waiting && { quarantined: waiting }),
      });
      const link = links.get(sourceId);
      if (isRead && record && planned.kind !== 'item' && link && link.missing > 0)
        plans.push({ sourceId, planned: forgetAbsence(link) });
    };
    return { plans, keep };
  };

  const factsOf = ({
    input,
    link,
    stage,
    attributes,
    groupNames,
    isManagerChanged = false,
  }: Prepared) => ({
    sourceId: input.sourceId,
    data: input.data,
    hash: input.hash,
    runId,
    isRead,
    link,
    attributes,
    stage,
    groups: groupNames,
    isManagerChanged,
  });

  /** Those for which something may be planned; the others are kept as they are. */
  const prepareAll = async (
    inputs: readonly RecordInput[],
    known: Known,
    keep: ReturnType<typeof startPage>['keep'],
  ): Promise<{ readonly prepared: readonly Prepared[]; readonly users: Users }> => {
    const { links, quarantined } = known;
    const ready = await readyManagers(links.values(), runId, { store, gateway });
    const linked = inputs.flatMap(({ sourceId }) => links.get(sourceId) ?? []);
    const users = await usersOf(linked);
    const changed = await changedManagers(
      linked.map((link) => ({ link, user: userIn(users, link) })),
      rules,
      { store, gateway },
    );
    const prepared: Prepared[] = [];
    const unplanned: RecordInput[] = [];
    for (const input of inputs) {
      const { sourceId, hash } = input;
      const waiting = quarantined.get(sourceId);
      // An operator who retries a deleted user wants a new one.
      const isGone = waiting?.code === 'USER_DELETED' && waiting.nextAt !== null;
      const found = links.get(sourceId);
      const link = isGone && found ? { ...found, userId: null } : found;
      const pass = (planned: Planned): void => {
        keep(sourceId, planned, input);
        if (!link?.userId && !waiting?.isIgnored) unplanned.push(input);
      };
      const stage = stageNow(input.data);
      if (isWaiting(waiting, hash, now) && !isForced) pass({ kind: 'waiting' });
      else if ('code' in stage) pass({ kind: 'failed', failure: stage });
      else {
        const isManagerChanged = changed.has(sourceId);
        const hasManager =
          isManagerChanged || (link?.unmetManager != null && ready.has(link.unmetManager));
        const facts = { link, user: userIn(users, link), hash, stage };
        if (!isForced && !hasManager && isSettled(facts, settledParts)) pass({ kind: 'unchanged' });
        else {
          const result = await prepare(input, stage, link);
          if ('code' in result) pass({ kind: 'failed', failure: result });
          else {
            prepared.push({ ...result, isManagerChanged });
            if (stage.state === 'future' && !link?.userId) unplanned.push(input);
          }
        }
      }
    }
    await nameOnly(unplanned);
    return { prepared, users };
  };

  return {
    plan: async (inputs) => {
      const known = await knownOf(inputs);
      const { plans, keep } = startPage(known);
      await groups.load([...known.links.values()].flatMap(({ unmet }) => unmet));
      const records: RecordInput[] = [];
      for (const input of inputs) {
        const isLeaver = leavingStage(input, known) !== undefined;
        if (isLeaver && leavers.length <= MAX_LEAVERS) leavers.push(input.sourceId);
        if (isLeaver) continue;
        if ('isDeleted' in input) keep(input.sourceId, { kind: 'unchanged' });
        else records.push(input);
      }
      const { prepared, users } = await prepareAll(records, known, keep);
      await groups.load(prepared.flatMap(({ groupNames }) => groupNames));
      const unlinked = prepared.filter(
        ({ link, stage }) => !link?.userId && stage.state === 'active',
      );
      const found = await matchAll(unlinked);
      name(found, () => true);
      const owners = await ownersOf(found);
      const matches = await withoutOwned(unlinked, found, owners);
      for (const one of prepared) {
        const { sourceId } = one.input;
        const match = claim(sourceId, matches.get(sourceId) ?? { kind: 'none' });
        const taken = match.kind === 'one' ? owners.get(match.user.id) : undefined;
        const user = userIn(users, one.link);
        const facts = { ...factsOf(one), user, match, taken };
        keep(sourceId, withUserId(planRecord(facts, rules, groups.lookUp)), one.input);
      }
      return plans;
    },
    leavers: () => (leavers.length > MAX_LEAVERS ? null : leavers),
    planLeavers: async (inputs) => {
      const known = await knownOf(inputs);
      const { plans, keep } = startPage(known);
      const leaving = inputs.flatMap((input) => {
        const stage = leavingStage(input, known);
        return stage ? [{ input, stage, link: known.links.get(input.sourceId) }] : [];
      });
      const users = await usersOf(leaving.flatMap(({ link }) => link ?? []));
      for (const { input, stage, link } of leaving) {
        const user = userIn(users, link);
        if ('isDeleted' in input) {
          const isNamed = link !== undefined && named.has(link.userId as UserId);
          keep(input.sourceId, isNamed ? { kind: 'unchanged' } : planTombstone(link, user));
          continue;
        }
        const result = await prepare(input, stage, link);
        if ('code' in result) continue;
        const isNamed = link?.userId != null && named.get(link.userId) === true;
        const match = { kind: 'none' } as const;
        const facts = { ...factsOf(result), user, match, taken: undefined };
        // The link of a named user moves: it must stay as it was planned.
        if (isNamed) keep(input.sourceId, { kind: 'unchanged' });
        else keep(input.sourceId, planRecord(facts, rules, groups.lookUp), input);
      }
      return plans;
    },
    addWaiting: async (waiting) => {
      const links = await store.links.many(waiting.map(({ sourceId }) => sourceId));
      await nameOnly(
        waiting.flatMap(({ sourceId, data, isIgnored }) =>
          data === null || isIgnored || links.get(sourceId)?.userId ? [] : [{ sourceId, data }],
        ),
      );
    },
    isNamed: (userId) => userId !== null && named.has(userId),
  };

  /** Two records that match one user: neither of them may take the user from the other. */
  function claim(sourceId: string, match: Match): Match {
    if (match.kind !== 'one') return match;
    const other = claimed.get(match.user.id);
    if (other !== undefined && other !== sourceId)
      return {
        kind: 'ambiguous',
        message: `The record ${other} matches the same user.`,
      };
    claimed.set(match.user.id, sourceId);
    return match;
  }

  /** The same id in every attempt, and another one for each life of the link. */
  function withUserId(planned: Planned): Planned {
    if (planned.kind !== 'item' || planned.item.kind !== 'create') return planned;
    const { item } = planned;
    const userId = gateway.idOfNewUser({ ...item.after, rev: item.rev });
    return { kind: 'item', item: { ...item, userId, after: { ...item.after, userId } } };
  }
};

/** Ids in memory. More of them leave at once only if the source is broken. */
const MAX_LEAVERS = 10_000;

type Users = ReadonlyMap<string, readonly User[]>;

const userIn = (users: Users, link: Link | undefined): User | undefined =>
  link?.userId ? users.get(link.userId)?.[0] : undefined;

const DELETED: Stage = { state: 'left', why: 'The source deleted the record.', changesOn: null };
