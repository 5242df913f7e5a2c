import type { JsonObject, User, UserId } from '../../../src/plugin/api.js';
import type { CompiledConnector } from '../compile-connector.js';
import type { Identities } from '../identify/identities.js';
import type { IsoDate } from '../iso-date.js';
import { DateError, readStage, type Stage } from '../lifecycle.js';
import type { Link } from '../link.js';
import type { Attributes } from '../mapping/attributes.js';
import type { ConnectorStore } from '../run/connector-store.js';
import type { Gateway } from '../run/gateway.js';
import type { Input, RecordInput } from '../record-input.js';
import { isWaiting, wantsNewUser } from '../run/quarantine.js';
import type { QuarantinedRecord } from '../run/run-record.js';
import { changedManagers, readyManagers } from './find-managers.js';
import type { GroupNames } from './group-names.js';
import { groupsOfRecord } from './group-rules.js';
import { planTombstone, readAgain, withClaim } from './plan-ending.js';
import {
  isSettled,
  type Planned,
  planRecord,
  type RecordFacts,
  type RecordFailure,
} from './plan-record.js';

export interface PagePlan {
  readonly sourceId: string;
  readonly planned: Planned;
  /** For a failure: what to keep of the record. */
  readonly record?: { readonly data: JsonObject; readonly hash: string };
  readonly quarantined?: QuarantinedRecord;
  /** Of the link. */
  readonly rev?: number;
}

export interface PlanPageParts {
  readonly compiled: CompiledConnector;
  readonly store: ConnectorStore;
  readonly gateway: Gateway;
  readonly groups: GroupNames;
  readonly identities: Identities;
  readonly runId: string;
  /** Whether quarantine and unchanged hashes are no reason to pass over a record. */
  readonly isForced: boolean;
  /** Whether the records come from a read; else only their dates have come. */
  readonly isRead: boolean;
  /** Whether links must show that their records were read: an older plan waits for its approval. */
  readonly marksRead: boolean;
  readonly today: IsoDate;
  readonly now: Date;
}

/** What is stored of the records of a page. */
interface Known {
  readonly links: ReadonlyMap<string, Link>;
  readonly quarantined: ReadonlyMap<string, QuarantinedRecord>;
}

/** A record for which something may be planned. */
interface Prepared {
  readonly input: RecordInput;
  readonly link: Link | undefined;
  readonly stage: Stage;
  readonly attributes: Attributes;
  readonly groupNames: readonly string[];
  readonly isManagerChanged: boolean;
}

type Users = ReadonlyMap<string, readonly User[]>;

const userIn = (users: Users, userId: UserId | null | undefined): User | undefined =>
  userId == null ? undefined : users.get(userId)?.[0];

const stageNow = (data: JsonObject, { compiled, today }: PlanPageParts): Stage | RecordFailure => {
  const stage = readStage(data, compiled.lifecycle, today);
  return stage instanceof DateError ? { code: 'DATE', message: `${stage.message}.` } : stage;
};

/** Plans the records of a page; of those who leave, it returns the ids: `planLeavers` plans them. */
export const planPage = async (
  inputs: readonly Input[],
  parts: PlanPageParts,
): Promise<{ readonly plans: readonly PagePlan[]; readonly leavers: readonly string[] }> => {
  const { groups } = parts;
  const known = await knownOf(inputs, parts);
  await groups.load([...known.links.values()].flatMap(({ unmet }) => unmet));
  const plans: PagePlan[] = [];
  const leavers: string[] = [];
  const records: RecordInput[] = [];
  for (const input of inputs) {
    if (leavingStage(input, known, parts)) leavers.push(input.sourceId);
    else if ('isDeleted' in input)
      plans.push(...plansOf(input, { kind: 'unchanged' }, known, parts));
    else records.push(input);
  }
  const { prepared, others } = await prepareAll(records, known, parts);
  for (const { input, planned } of others) plans.push(...plansOf(input, planned, known, parts));
  await groups.load(prepared.flatMap(({ groupNames }) => groupNames));
  for (const facts of await factsOfAll(prepared, parts)) {
    const planned = planRecord(facts, parts.compiled.rules, groups.lookUp);
    plans.push(...plansOf(facts, withUserId(planned, parts.gateway), known, parts));
  }
  return { plans, leavers };
};

/** Plans those among the records who leave. */
export const planLeavers = async (
  inputs: readonly Input[],
  parts: PlanPageParts,
): Promise<readonly PagePlan[]> => {
  const { compiled, groups, gateway, identities } = parts;
  const known = await knownOf(inputs, parts);
  const plans: PagePlan[] = [];
  const leaving = inputs.flatMap((input) => {
    const stage = leavingStage(input, known, parts);
    return stage ? [{ input, stage, link: known.links.get(input.sourceId) }] : [];
  });
  const users = await gateway.findUsers(
    'id',
    leaving.flatMap(({ link }) => link?.userId ?? []),
  );
  for (const { input, stage, link } of leaving) {
    const claim = identities.claimOn(link?.userId ?? null);
    const ending = { link, claim, says: 'isDeleted' in input ? 'nothing' : 'left' } as const;
    const user = userIn(users, link?.userId);
    if ('isDeleted' in input) {
      const planned = withClaim(planTombstone(link, user), ending, parts);
      plans.push(pagePlan(input, planned, known));
      continue;
    }
    const one = await prepare(input, stage, { link, isManagerChanged: false }, parts);
    if ('code' in one) continue;
    const facts = factsOf(one, { user, former: undefined }, parts);
    const planned = withClaim(planRecord(facts, compiled.rules, groups.lookUp), ending, parts);
    plans.push(pagePlan(input, planned, known));
  }
  return plans;
};

const DELETED: Stage = { state: 'left', why: 'The source deleted the record.', changesOn: null };

/** Who has left, in the stage's own words; undefined: `planPage` takes care of the record. */
const leavingStage = (
  input: Input,
  { links, quarantined }: Known,
  parts: PlanPageParts,
): Stage | undefined => {
  const link = links.get(input.sourceId);
  if ('isDeleted' in input) return link && link.state !== 'left' ? DELETED : undefined;
  const stage = stageNow(input.data, parts);
  if ('code' in stage || stage.state !== 'left') return undefined;
  if (isSettled({ link, user: undefined, hash: input.hash, stage }, settledParts(parts)))
    return undefined;
  const waiting = quarantined.get(input.sourceId);
  // Who has left is deactivated, whatever else is wrong with their record.
  const isUrgent = waiting?.isIgnored !== true && link !== undefined && link.state !== 'left';
  return parts.isForced || isUrgent || !isWaiting(waiting, input.hash, parts.now)
    ? stage
    : undefined;
};

const settledParts = ({ compiled, groups, today }: PlanPageParts) => ({
  ...{ today, rules: compiled.rules },
  lookUp: groups.lookUp,
});

const knownOf = async (inputs: readonly Input[], { store }: PlanPageParts): Promise<Known> => {
  const ids = inputs.map(({ sourceId }) => sourceId);
  return { links: await store.links.many(ids), quarantined: await store.quarantine.many(ids) };
};

/** The plan of a record, and that it was read, should that be all. */
const plansOf = (
  input: Input,
  planned: Planned,
  known: Known,
  { isRead, marksRead }: PlanPageParts,
): readonly PagePlan[] => {
  const link = known.links.get(input.sourceId);
  const isSeen = isRead && !('isDeleted' in input) && planned.kind !== 'item';
  return [
    pagePlan(input, planned, known),
    ...(isSeen && link && (link.missing > 0 || link.deferred || marksRead)
      ? [{ sourceId: input.sourceId, planned: readAgain(link) }]
      : []),
  ];
};

const pagePlan = (input: Input, planned: Planned, { links, quarantined }: Known): PagePlan => {
  const waiting = quarantined.get(input.sourceId);
  return {
    ...{ sourceId: input.sourceId, planned, rev: links.get(input.sourceId)?.rev ?? 0 },
    ...(!('isDeleted' in input) && { record: { data: input.data, hash: input.hash } }),
    ...(waiting && { quarantined: waiting }),
  };
};

interface PreparedPage {
  readonly prepared: readonly Prepared[];
  /** Those for which nothing can be, or has to be, planned. */
  readonly others: readonly { readonly input: RecordInput; readonly planned: Planned }[];
}

const prepareAll = async (
  inputs: readonly RecordInput[],
  { links, quarantined }: Known,
  parts: PlanPageParts,
): Promise<PreparedPage> => {
  const { store, gateway, compiled, isForced, identities, now } = parts;
  const ready = await readyManagers(links.values(), parts.runId, { store, gateway });
  const linked = inputs.flatMap(({ sourceId }) => links.get(sourceId) ?? []);
  const users = await gateway.findUsers(
    'id',
    linked.flatMap(({ userId }) => userId ?? []),
  );
  const changed = await changedManagers(
    linked.map((link) => ({ link, user: userIn(users, link.userId) })),
    compiled.rules,
    { store, gateway },
  );
  const prepared: Prepared[] = [];
  const others: { readonly input: RecordInput; readonly planned: Planned }[] = [];
  for (const input of inputs) {
    const { sourceId, hash, data } = input;
    const waiting = quarantined.get(sourceId);
    const found = links.get(sourceId);
    const link = found && wantsNewUser(waiting) ? { ...found, userId: null } : found;
    const stage = stageNow(data, parts);
    const isManagerChanged = changed.has(sourceId);
    const needsManager =
      isManagerChanged || (link?.unmetManager != null && ready.has(link.unmetManager));
    const isFreed = identities.of(sourceId).kind === 'takes over';
    const facts = { link, user: userIn(users, link?.userId), hash };
    if (isWaiting(waiting, hash, now) && !isForced && !isFreed)
      others.push({ input, planned: { kind: 'waiting' } });
    else if ('code' in stage) others.push({ input, planned: { kind: 'failed', failure: stage } });
    else if (!isForced && !needsManager && isSettled({ ...facts, stage }, settledParts(parts)))
      others.push({ input, planned: { kind: 'unchanged' } });
    else {
      const one = await prepare(input, stage, { link, isManagerChanged }, parts);
      if ('code' in one) others.push({ input, planned: { kind: 'failed', failure: one } });
      else prepared.push(one);
    }
  }
  return { prepared, others };
};

const prepare = async (
  input: RecordInput,
  stage: Stage,
  { link, isManagerChanged }: Pick<Prepared, 'link' | 'isManagerChanged'>,
  { compiled }: PlanPageParts,
): Promise<Prepared | RecordFailure> => {
  const mapped = await compiled.mapping.map(input.data);
  if (!mapped.ok && stage.state !== 'left') return { code: 'MAPPING', message: mapped.message };
  return {
    ...{ input, link, stage, isManagerChanged },
    attributes: mapped.ok
      ? mapped.attributes
      : // Nothing was ever applied of who had left when they were read first: their id is their name.
        { userName: input.sourceId, ...link?.applied },
    groupNames: stage.state === 'active' ? groupsOfRecord(input.data, compiled.options.groups) : [],
  };
};

/** With the user of each record: that of its link, else the one that it takes over. */
const factsOfAll = async (
  prepared: readonly Prepared[],
  parts: PlanPageParts,
): Promise<readonly RecordFacts[]> => {
  const { store, gateway, identities } = parts;
  const taken = prepared.map(({ input, link }) => {
    const identity = identities.of(input.sourceId);
    return !link?.userId && identity.kind === 'takes over' ? identity : undefined;
  });
  const formers = await store.linksOfOwners(taken.flatMap((one) => one?.from ?? []));
  const users = await gateway.findUsers(
    'id',
    prepared.flatMap(({ link }, at) => link?.userId ?? taken[at]?.userId ?? []),
  );
  return prepared.map((one, at) => {
    const identity = taken[at];
    const user = userIn(users, one.link?.userId ?? identity?.userId);
    const from = identity?.from;
    const former = from ? formers.get(`${from.connector}:${from.sourceId}`) : undefined;
    return factsOf(one, { user, former }, parts);
  });
};

const factsOf = (
  { input, link, stage, attributes, groupNames, isManagerChanged }: Prepared,
  { user, former }: Pick<RecordFacts, 'user' | 'former'>,
  { runId, isRead, identities }: PlanPageParts,
): RecordFacts => ({
  ...{ sourceId: input.sourceId, data: input.data, hash: input.hash },
  ...{ runId, isRead, link, user, former, attributes, stage, isManagerChanged },
  groups: groupNames,
  identity: identities.of(input.sourceId),
  isVacated: identities.isVacated(link?.userId ?? null),
});

/** The same id in every attempt, and another one for each life of the link. */
const withUserId = (planned: Planned, gateway: Gateway): Planned => {
  if (planned.kind !== 'item' || planned.item.kind !== 'create') return planned;
  const { item } = planned;
  const userId = gateway.idOfNewUser({ ...item.after, rev: item.rev });
  return { kind: 'item', item: { ...item, userId, after: { ...item.after, userId } } };
};
