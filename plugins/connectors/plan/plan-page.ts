import type { JsonObject, UserId } from '../../../src/plugin/api.js';
import type { User } from '../../../src/plugin/connectors-api.js';
import type { CompiledConnector } from '../compile-connector.js';
import type { Identities } from '../identify/identities.js';
import type { IsoDate } from '../iso-date.js';
import { DateError, readStage } from '../lifecycle.js';
import type { Link } from '../link.js';
import type { ConnectorStore } from '../run/connector-store.js';
import type { Gateway } from '../run/gateway.js';
import type { Input, RecordInput } from '../record-input.js';
import { isWaiting, wantsNewUser } from '../run/quarantine.js';
import type { QuarantinedRecord } from '../run/run-record.js';
import { changedManagers, readyManagers } from './find-managers.js';
import { foreignGroups } from './foreign-groups.js';
import type { GroupNames } from './group-names.js';
import { groupsOfRecord } from '../mapping/group-rules.js';
import { planTombstone, readAgain, withClaim } from './plan-ending.js';
import { failed, isSettled, type Planned, planRecord, type RecordFacts } from './plan-record.js';

export interface PagePlan {
  readonly sourceId: string;
  readonly planned: Planned;
  /** As it was read; absent: it was deleted, or did not come. */
  readonly record?: RecordInput;
  /** What is stored of the record that an item changes, or takes a user from. */
  readonly before?: JsonObject | undefined;
  readonly quarantined?: QuarantinedRecord | undefined;
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

type Users = ReadonlyMap<string, readonly User[]>;

/** What is stored of the records of a page. */
interface Known {
  readonly links: ReadonlyMap<string, Link>;
  readonly quarantined: ReadonlyMap<string, QuarantinedRecord>;
  /** Of the links. */
  readonly users: Users;
  /** Managers who had no user, and have one now. */
  readonly ready: ReadonlySet<string>;
  /** Records whose manager another interface has changed. */
  readonly changed: ReadonlySet<string>;
}

/** A record for which something may be planned. */
type Prepared = Omit<RecordFacts, 'user' | 'former' | 'formerRead' | 'foreignGroups'>;

const userIn = (users: Users, userId: UserId | null | undefined): User | undefined =>
  userId == null ? undefined : users.get(userId)?.[0];

/** Plans the records of a page. */
export const planPage = async (
  inputs: readonly Input[],
  parts: PlanPageParts,
): Promise<readonly PagePlan[]> => {
  const { compiled, groups, gateway } = parts;
  const known = await readKnown(inputs, parts);
  await groups.load([...known.links.values()].flatMap(({ unmet }) => unmet));
  const plans: PagePlan[] = [];
  const prepared: Prepared[] = [];
  for (const input of inputs) {
    const one = await prepare(input, known, parts);
    if ('kind' in one) plans.push(...plansOf(input, one, known, parts));
    else prepared.push(one);
  }
  await groups.load(prepared.flatMap(({ groups: names }) => names));
  for (const facts of await factsOf(prepared, known, parts)) {
    const planned = planRecord(facts, compiled.rules, groups.lookUp);
    if (facts.stage.state === 'left') {
      const { link } = facts;
      plans.push(pagePlan(facts, withClaim(planned, { link, says: 'left' }, parts), known, parts));
    } else plans.push(...plansOf(facts, withUserId(planned, gateway), known, parts));
  }
  return plans;
};

const readKnown = async (
  inputs: readonly Input[],
  { store, gateway, compiled, runId }: PlanPageParts,
): Promise<Known> => {
  const ids = inputs.map(({ sourceId }) => sourceId);
  const links = await store.links.many(ids);
  const linked = [...links.values()];
  const users = await gateway.findUsers(
    'id',
    linked.flatMap(({ userId }) => userId ?? []),
  );
  return {
    links,
    users,
    quarantined: await store.quarantine.many(ids),
    ready: await readyManagers(linked, runId, { store, gateway }),
    changed: await changedManagers(
      linked.map((link) => ({ link, user: userIn(users, link.userId) })),
      compiled.rules,
      { store, gateway },
    ),
  };
};

/** What is planned without knowing the user that a record takes over, or what else that needs. */
const prepare = async (
  input: Input,
  { links, quarantined, users, ready, changed }: Known,
  parts: PlanPageParts,
): Promise<Planned | Prepared> => {
  const { compiled, groups, identities, isForced, isRead, runId, today, now } = parts;
  const { sourceId } = input;
  const found = links.get(sourceId);
  if ('isDeleted' in input) {
    const planned = planTombstone(found, userIn(users, found?.userId));
    return withClaim(planned, { link: found, says: 'nothing' }, parts);
  }
  const { data, hash } = input;
  const waiting = quarantined.get(sourceId);
  const stage = readStage(data, compiled.lifecycle, today);
  const hasLeft = !(stage instanceof DateError) && stage.state === 'left';
  const link = found && !hasLeft && wantsNewUser(waiting) ? { ...found, userId: null } : found;
  // Who has left is deactivated, whatever else is wrong with their record.
  const isUrgent = hasLeft && waiting?.isIgnored !== true && (link?.state ?? 'left') !== 'left';
  const identity = identities.of(sourceId);
  const mayWait = !isForced && !isUrgent && identity.kind !== 'takes over';
  if (mayWait && isWaiting(waiting, hash, now)) return { kind: 'waiting' };
  if (stage instanceof DateError) return failed('DATE', `${stage.message}.`);
  const isManagerChanged = changed.has(sourceId);
  const needsManager =
    isManagerChanged || (link?.unmetManager != null && ready.has(link.unmetManager));
  const user = userIn(users, link?.userId);
  const rules = { today, rules: compiled.rules, lookUp: groups.lookUp };
  if (!isForced && !needsManager && isSettled({ link, user, hash, stage }, rules))
    return { kind: 'unchanged' };
  const mapped = await compiled.mapping.map(data);
  if (!mapped.ok && !hasLeft) return failed('MAPPING', mapped.message);
  return {
    ...{ sourceId, data, hash, runId, isRead, link, stage, identity, isManagerChanged },
    attributes: mapped.ok
      ? mapped.attributes
      : // Nothing was ever applied of who had left when they were read first: their id is their name.
        { userName: sourceId, ...link?.applied },
    groups: stage.state === 'active' ? groupsOfRecord(data, compiled.options.groups) : [],
    isVacated: identities.isVacated(link?.userId ?? null),
  };
};

/** With the user of each record: that of its link, else the one that it takes over. */
const factsOf = async (
  prepared: readonly Prepared[],
  { users }: Known,
  parts: PlanPageParts,
): Promise<readonly RecordFacts[]> => {
  const { store, gateway, runId } = parts;
  const takenBy = ({ link, identity }: Prepared) =>
    !link?.userId && identity.kind === 'takes over' ? identity : undefined;
  const taken = prepared.flatMap((one) => takenBy(one) ?? []);
  const formers = await store.linksOfOwners(taken.flatMap(({ from }) => from ?? []));
  const others = await gateway.findUsers(
    'id',
    taken.map(({ userId }) => userId),
  );
  const ownFormers = taken.flatMap(({ from }) =>
    from?.connector === gateway.connector ? from.sourceId : [],
  );
  const staged = await store.staged(runId).many(ownFormers);
  const facts = prepared.map((one) => {
    const takes = takenBy(one);
    const user = takes ? userIn(others, takes.userId) : userIn(users, one.link?.userId);
    const from = takes?.from;
    const former = from ? formers.get(`${from.connector}:${from.sourceId}`) : undefined;
    const read = from?.connector === gateway.connector ? staged.get(from.sourceId) : undefined;
    const formerRead = read?.kind === 'record' ? { hash: read.hash, data: read.data } : undefined;
    return { ...one, user, former, formerRead };
  });
  const foreign = await foreignGroups(facts, parts);
  return facts.map((one, at) => ({ ...one, foreignGroups: foreign[at] ?? [] }));
};

/** The plan of a record, and that it was read, should that be all. */
const plansOf = (
  input: Input | RecordFacts,
  planned: Planned,
  known: Known,
  parts: PlanPageParts,
): readonly PagePlan[] => {
  const { isRead, marksRead } = parts;
  const link = known.links.get(input.sourceId);
  const isSeen = isRead && !('isDeleted' in input) && planned.kind !== 'item';
  return [
    pagePlan(input, planned, known, parts),
    ...(isSeen && link && (link.missing > 0 || link.deferred || marksRead)
      ? [{ sourceId: input.sourceId, planned: readAgain(link) }]
      : []),
  ];
};

const pagePlan = (
  input: Input | RecordFacts,
  planned: Planned,
  { links, quarantined }: Known,
  { compiled }: PlanPageParts,
): PagePlan => {
  const { sourceId } = input;
  const link = links.get(sourceId);
  const of = { sourceId, planned, quarantined: quarantined.get(sourceId), rev: link?.rev ?? 0 };
  if ('isDeleted' in input) return of;
  const { data, hash } = input;
  const item = planned.kind === 'item' ? planned.item : undefined;
  const isOwn = item?.replaces?.connector === compiled.name;
  const changed = isOwn && 'former' in input ? input.former : link;
  return { ...of, record: { sourceId, data, hash }, before: item && changed?.data };
};

/** The same id in every attempt, and another one for each life of the link. */
const withUserId = (planned: Planned, gateway: Gateway): Planned => {
  if (planned.kind !== 'item' || planned.item.kind !== 'create') return planned;
  const { item } = planned;
  const userId = gateway.idOfNewUser({ ...item.after, rev: item.rev });
  return { kind: 'item', item: { ...item, userId, after: { ...item.after, userId } } };
};
