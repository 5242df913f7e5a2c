import type { JsonObject, TenantId, User, UserId } from '../../../src/plugin/api.js';
import type { CompiledConnector } from '../compile-connector.js';
import type { IsoDate } from '../iso-date.js';
import { DateError, type Stage, stageOf } from '../lifecycle.js';
import type { Link } from '../link.js';
import type { Attributes } from '../mapping/attributes.js';
import type { ConnectorStore } from '../run/connector-store.js';
import type { GatewayAccess } from '../run/gateway-access.js';
import type { QuarantinedRecord } from '../run/run-record.js';
import { chooseMatch, type Match, type UserKey } from './correlate.js';
import type { GroupNames } from './group-names.js';
import { groupsOfRecord } from './group-rules.js';
import {
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

export interface PagePlanner {
  readonly plan: (
    inputs: readonly Input[],
    how: { readonly isForced: boolean },
  ) => Promise<readonly PagePlan[]>;
}

export interface PagePlannerParts {
  readonly compiled: CompiledConnector;
  readonly store: ConnectorStore;
  readonly access: GatewayAccess;
  readonly groups: GroupNames;
  readonly today: IsoDate;
  readonly now: Date;
}

interface Prepared {
  readonly input: Extract<Input, { data: JsonObject }>;
  readonly link: Link | undefined;
  readonly stage: Stage;
  readonly attributes: Attributes;
  readonly groupNames: readonly string[];
}

/** A record stays in quarantine until it changes or its next try is due. */
const isWaiting = (quarantined: QuarantinedRecord | undefined, hash: string, now: Date): boolean =>
  quarantined?.hash === hash &&
  (quarantined.isIgnored ||
    quarantined.nextAt === null ||
    Date.parse(quarantined.nextAt) > now.getTime());

/** Plans pages of records with few reads for each. */
export const createPagePlanner = (parts: PagePlannerParts): PagePlanner => {
  const { compiled, store, access, groups, today, now } = parts;
  /** Users who were matched in this run, and by which record. */
  const claimed = new Map<UserId, string>();

  const prepare = async (
    input: Prepared['input'],
    link: Link | undefined,
  ): Promise<Prepared | RecordFailure> => {
    try {
      const stage = stageOf(input.data, compiled.lifecycle, today);
      const mapped = await compiled.mapping.map(input.data);
      // Who has left is deactivated, whatever else is wrong with their record.
      if (!mapped.ok && stage.state !== 'left') return { code: 'MAPPING', message: mapped.message };
      return {
        input,
        link,
        stage,
        attributes: mapped.ok
          ? mapped.attributes
          : ((link?.applied ?? { userName: input.sourceId }) as Attributes),
        groupNames:
          stage.state === 'active' ? groupsOfRecord(input.data, compiled.options.groups) : [],
      };
    } catch (error) {
      if (error instanceof DateError) return { code: 'DATE', message: `${error.message}.` };
      throw error;
    }
  };

  const matchAll = async (prepared: readonly Prepared[]): Promise<ReadonlyMap<string, Match>> => {
    const found = new Map<string, { by: UserKey; users: readonly User[] }[]>();
    let open = prepared.filter(({ link, stage }) => !link?.userId && stage.state !== 'future');
    for (const { by, valueOf } of compiled.match) {
      const values = open.flatMap((one) => {
        const value = valueOf(one.input.data, one.attributes);
        return value === undefined ? [] : [{ one, value }];
      });
      const users = await findUsers(
        access,
        access.tenantId,
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

  /** Who has the matched users already. */
  const ownersOf = async (
    matches: ReadonlyMap<string, Match>,
  ): Promise<ReadonlyMap<string, NonNullable<RecordFacts['taken']>>> => {
    const ids = [...matches.values()].flatMap((match) =>
      match.kind === 'one' ? [match.user.id] : [],
    );
    if (ids.length === 0) return new Map();
    const owners = await store.owners(ids);
    const mine = [...owners.values()].filter(({ connector }) => connector === access.connector);
    const links = await store.links(mine.map(({ sourceId }) => sourceId));
    const taken = new Map<string, NonNullable<RecordFacts['taken']>>();
    for (const [userId, { connector, sourceId }] of owners) {
      const link = links.get(sourceId);
      if (connector !== access.connector) taken.set(userId, { connector, link: undefined });
      // A link that has ended leaves its entry behind.
      else if (link?.userId === userId) taken.set(userId, { connector, link });
    }
    return taken;
  };

  const managersReady = async (links: Iterable<Link>): Promise<ReadonlySet<string>> => {
    const refs = [...links].flatMap(({ unmetManager }) => unmetManager ?? []);
    const found = refs.length === 0 ? [] : [...(await store.links([...new Set(refs)])).values()];
    return new Set(found.filter(({ userId }) => userId !== null).map(({ sourceId }) => sourceId));
  };

  return {
    plan: async (inputs, { isForced }) => {
      const ids = inputs.map(({ sourceId }) => sourceId);
      const [links, quarantined] = [await store.links(ids), await store.quarantined(ids)];
      await groups.load([...links.values()].flatMap(({ unmet }) => unmet));
      const ready = await managersReady(links.values());
      const plans: PagePlan[] = [];
      const prepared: Prepared[] = [];
      const deleted: Link[] = [];

      const keep = (sourceId: string, planned: Planned, record?: PagePlan['record']): void => {
        const waiting = quarantined.get(sourceId);
        plans.push({
          sourceId,
          planned,
          ...(record && { record }),
          ...(waiting && { quarantined: waiting }),
        });
      };

      for (const input of inputs) {
        const link = links.get(input.sourceId);
        if ('isDeleted' in input) {
          if (link && link.state !== 'left') deleted.push(link);
          else keep(input.sourceId, { kind: 'unchanged' });
          continue;
        }
        const waits = isWaiting(quarantined.get(input.sourceId), input.hash, now);
        if (waits && !isForced) {
          keep(input.sourceId, { kind: 'waiting' });
          continue;
        }
        const hasManager = link?.unmetManager != null && ready.has(link.unmetManager);
        if (!isForced && !hasManager && isSettled(link, input.hash, today, groups.lookUp)) {
          keep(input.sourceId, { kind: 'unchanged' });
          continue;
        }
        // An operator who retries a deleted user wants a new one.
        const isGone = quarantined.get(input.sourceId)?.code === 'USER_DELETED';
        const result = await prepare(input, isGone && link ? { ...link, userId: null } : link);
        if ('input' in result) prepared.push(result);
        else keep(input.sourceId, { kind: 'failed', failure: result }, input);
      }

      await groups.load(prepared.flatMap(({ groupNames }) => groupNames));
      const users = await findUsers(access, access.tenantId, 'id', [
        ...prepared.flatMap(({ link }) => link?.userId ?? []),
        ...deleted.flatMap(({ userId }) => userId ?? []),
      ]);
      const userOf = (link: Link | undefined): User | undefined =>
        link?.userId ? users.get(link.userId)?.[0] : undefined;
      for (const link of deleted) keep(link.sourceId, planTombstone(link, userOf(link)));

      const matches = await matchAll(prepared);
      const owners = await ownersOf(matches);
      for (const { input, link, stage, attributes, groupNames } of prepared) {
        const { sourceId } = input;
        const match = claim(sourceId, matches.get(sourceId) ?? { kind: 'none' });
        const taken = match.kind === 'one' ? owners.get(match.user.id) : undefined;
        keep(
          sourceId,
          withUserId(
            planRecord(
              {
                sourceId,
                data: input.data,
                hash: input.hash,
                link,
                user: userOf(link),
                match,
                taken,
                attributes,
                stage,
                groups: groupNames,
              },
              compiled.rules,
              groups.lookUp,
            ),
          ),
          input,
        );
      }
      return plans;
    },
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

  /** The same id in every attempt. */
  function withUserId(planned: Planned): Planned {
    if (planned.kind !== 'item' || planned.item.kind !== 'create') return planned;
    const { item } = planned;
    const userId = access.commands.idFor<UserId>(
      access.tenantId,
      `${access.connector}:${item.sourceId}:${item.rev}`,
    );
    return { kind: 'item', item: { ...item, userId, after: { ...item.after, userId } } };
  }
};

const keyed = (by: string, value: string): string =>
  by === 'userName' || by === 'email' ? value.toLowerCase() : value;

const LOOKUP = 1_000;

/** Users by the value of a key. */
export const findUsers = async (
  { users }: Pick<GatewayAccess, 'users'>,
  tenantId: TenantId,
  by: UserKey | 'id',
  values: readonly string[],
): Promise<ReadonlyMap<string, readonly User[]>> => {
  const wanted = [...new Set(values.map((value) => keyed(by, value)))];
  const result = new Map<string, User[]>();
  for (let from = 0; from < wanted.length; from += LOOKUP) {
    for (const user of await users.find(tenantId, by, wanted.slice(from, from + LOOKUP))) {
      const key = keyed(by, keyOf(user, by) ?? '');
      result.set(key, [...(result.get(key) ?? []), user]);
    }
  }
  return result;
};

const keyOf = (user: User, by: UserKey | 'id'): string | null | undefined => {
  if (by === 'id') return user.id;
  if (by === 'email') return user.email;
  return by === 'userName' ? user.profile.userName : user.profile.externalId;
};
