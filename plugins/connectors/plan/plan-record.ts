import {
  fold,
  type GroupId,
  isSame,
  type JsonObject,
  type JsonValue,
} from '../../../src/plugin/api.js';
import { displayNameOf, type User, type UserProfile } from '../../../src/plugin/connectors-api.js';
import type { IsoDate } from '../iso-date.js';
import type { Stage } from '../lifecycle.js';
import { type Link, type LinkedGroup, type LinkState, NO_LINK, withoutDeferral } from '../link.js';
import {
  type Attributes,
  emailIn,
  MANAGER,
  profileOf,
  profileValue,
} from '../mapping/attributes.js';
import { hasValue } from '../mapping/read-path.js';
import type { ConnectorOptions } from '../options.js';
import type { Identity } from '../identify/identities.js';
import { changeInWords } from './change-in-words.js';
import {
  addressOf,
  type AttributeChange,
  changesOfNew,
  type GroupChange,
  type ItemKind,
  type PlanItem,
} from './plan-item.js';

/** Rules that apply to all records. */
export interface PlanRules {
  /** Whose commands deactivate users. */
  readonly connector: string;
  /** The attributes that the source decides on existing users. */
  readonly owned: ReadonlySet<string>;
  readonly setsManager: boolean;
  readonly conflicts: ConnectorOptions['conflicts'];
  readonly missingRuns: number;
}

/** A group by its display name: it exists, the run can create it, or neither. */
export type GroupLookup = (name: string) => GroupId | 'creatable' | undefined;

/** A record that was read, and everything that is known of it. */
export interface RecordFacts {
  readonly sourceId: string;
  readonly data: JsonObject;
  readonly hash: string;
  readonly runId: string;
  /** Whether the source has just reported it, rather than only the date has changed. */
  readonly isRead: boolean;
  readonly link: Link | undefined;
  /** Of the link, else the one that the record takes over. */
  readonly user: User | undefined;
  /** Who a record without a user is. */
  readonly identity: Identity;
  /** The link of the record that it takes the user over from. */
  readonly former: Link | undefined;
  /** That record, as the run has read it. */
  readonly formerRead: Pick<Link, 'hash' | 'data'> | undefined;
  /** Groups that it leaves and of which another interface has made the user a member. */
  readonly foreignGroups: readonly GroupId[];
  /** Whether another person gets the address that this record has given away. */
  readonly isVacated: boolean;
  readonly attributes: Attributes;
  readonly stage: Stage;
  /** Display names. */
  readonly groups: readonly string[];
  /** Whether another interface has changed the manager. */
  readonly isManagerChanged: boolean;
}

/** Why a record is put into quarantine. */
export interface RecordFailure {
  readonly code: string;
  readonly message: string;
}

export type Planned =
  /** `warning`: what operators should know all the same. */
  | { readonly kind: 'unchanged'; readonly warning?: string }
  /** In quarantine, and not due. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'failed'; readonly failure: RecordFailure }
  | { readonly kind: 'item'; readonly item: PlanItem };

export const UNCHANGED: Planned = { kind: 'unchanged' };
export const failed = (code: string, message: string): Planned => ({
  kind: 'failed',
  failure: { code, message },
});

const ENTRY_FIELDS = ['value', 'type', 'primary'];

/** Lists as the connector writes them: other interfaces may add display texts. */
const comparable = (value: JsonValue | undefined): JsonValue =>
  Array.isArray(value)
    ? value.map((item: JsonValue) =>
        typeof item === 'object' && item !== null && !Array.isArray(item) && 'value' in item
          ? Object.fromEntries(
              ENTRY_FIELDS.flatMap((field) => {
                const member = item[field];
                return member === undefined || member === false ? [] : [[field, member]];
              }),
            )
          : item,
      )
    : (value ?? null);

const sameValue = (one: JsonValue | undefined, other: JsonValue | undefined): boolean =>
  hasValue(one) || hasValue(other) ? isSame(comparable(one), comparable(other)) : true;

/** What of a user's attributes the source changes. */
const compareAttributes = (
  profile: UserProfile,
  { attributes, link }: Pick<RecordFacts, 'attributes' | 'link'>,
  { owned, conflicts }: PlanRules,
) => {
  const changes: AttributeChange[] = [];
  const warnings: string[] = [];
  for (const attribute of [...owned].sort()) {
    if (attribute === MANAGER) continue;
    const before = profileValue(profile, attribute);
    const after = attributes[attribute];
    if (sameValue(before, after)) continue;
    // An identity provider finds its users by the id that it has given them.
    if (
      attribute === 'externalId' &&
      hasValue(before) &&
      !sameValue(before, link?.applied.externalId)
    )
      continue;
    if (conflicts === 'fill-empty' && (hasValue(before) || !hasValue(after))) continue;
    const isForeign =
      conflicts === 'report' && hasValue(before) && !sameValue(before, link?.applied[attribute]);
    if (isForeign) warnings.push(`${attribute} was changed by another interface and stays.`);
    else changes.push({ attribute, before: before ?? null, after: after ?? null });
  }
  return { changes, warnings };
};

const addressesIn = (value: JsonValue): readonly unknown[] =>
  (Array.isArray(value) ? (value as readonly JsonObject[]) : []).map((entry) => entry.value);

/** Whether an address that people know them by changes or disappears. */
const changesEmail = (user: User, changes: readonly AttributeChange[]): boolean => {
  const emails = changes.find(({ attribute }) => attribute === 'emails');
  const left = addressesIn(emails?.after ?? null);
  if (emails && addressesIn(emails.before).some((one) => !left.includes(one))) return true;
  return user.email !== null && emailIn(addressOf(user, changes, 'after')) !== fold(user.email);
};

/** Adds what the record asks for, and removes only what this connector added. */
const compareGroups = (
  wanted: readonly string[],
  current: readonly LinkedGroup[],
  lookUp: GroupLookup,
) => {
  const found = wanted.map((name) => ({ name, group: lookUp(name) }));
  const ids = new Set(found.map(({ group }) => group));
  const mine = new Set(current.map(({ id }) => id));
  return {
    changes: [
      ...found.flatMap(({ name, group }): GroupChange[] => {
        if (group === undefined) return [];
        if (group === 'creatable') return [{ op: 'add', name, groupId: null }];
        return mine.has(group) ? [] : [{ op: 'add', name, groupId: group }];
      }),
      ...current
        .filter(({ id }) => !ids.has(id))
        .map((linked): GroupChange => ({
          op: 'remove',
          name: linked.name,
          groupId: linked.id,
          linked,
        })),
    ],
    kept: current.filter(({ id }) => ids.has(id)),
    unmet: found.filter(({ group }) => group === undefined).map(({ name }) => name),
  };
};

const labelOf = (attributes: Attributes): string =>
  displayNameOf(profileOf(attributes) as unknown as UserProfile);

/** The link once nothing is left to do. What was deferred because the record had ended is over. */
const linkAfter = (facts: RecordFacts, changed: Partial<Link>): Link => ({
  ...NO_LINK,
  ...(facts.link && facts.isRead ? withoutDeferral(facts.link) : facts.link),
  ...(!facts.link && { life: facts.runId }),
  sourceId: facts.sourceId,
  rev: (facts.link?.rev ?? 0) + 1,
  hash: facts.hash,
  data: facts.data,
  ...(facts.isRead && { missing: 0, missingIn: [] }),
  changesOn: facts.stage.changesOn,
  label: labelOf(facts.attributes),
  ...changed,
});

export const itemOf = (
  { sourceId, label, why, rev }: Pick<PlanItem, 'sourceId' | 'label' | 'why' | 'rev'>,
  kind: ItemKind,
  more: Partial<PlanItem> & { readonly after: Link },
): Planned => ({
  kind: 'item',
  item: {
    sourceId,
    kind,
    userId: more.after.userId,
    label,
    why,
    changes: [],
    groups: [],
    rev,
    isDeactivation: false,
    isEmailChange: false,
    ...more,
  },
});

const itemOfRecord = (
  { sourceId, attributes, stage, link }: RecordFacts,
  kind: ItemKind,
  more: Partial<PlanItem> & { readonly after: Link },
): Planned => {
  const of = { sourceId, label: labelOf(attributes), why: stage.why, rev: link?.rev ?? 0 };
  return itemOf(of, kind, more);
};

const ACTIVATED: AttributeChange = { attribute: 'active', before: false, after: true };
export const DEACTIVATED: AttributeChange = { attribute: 'active', before: true, after: false };

/** An item that only remembers something; nothing if it is remembered already. */
const touch = (facts: RecordFacts, changed: Partial<Link>, warnings: readonly string[] = []) => {
  const after = linkAfter(facts, changed);
  return facts.link && isSame({ ...facts.link, rev: after.rev }, after) && warnings.length === 0
    ? UNCHANGED
    : itemOfRecord(facts, 'touch', { after, ...(warnings.length > 0 && { warnings }) });
};

/** Whether this connector, or the one that had the user before, was the last to change `active`. */
const isOffByUs = (
  { profile, deactivatedBy }: User,
  link: Link | undefined,
  connectors: readonly string[],
): boolean =>
  !profile.active &&
  (deactivatedBy == null
    ? deactivatedBy === undefined && link?.state === 'left' && link.deactivatedHere
    : connectors.includes(deactivatedBy));

/** Why the record gets this user. */
interface Linking {
  readonly kind: 'link' | 'relink';
  readonly why: string;
  readonly replaces?: NonNullable<PlanItem['replaces']>;
}

/** What a record of an employed person changes on the user it stands for. */
const planUser = (
  facts: RecordFacts,
  { user, linking }: { readonly user: User; readonly linking?: Linking },
  rules: PlanRules,
  lookUp: GroupLookup,
): Planned => {
  const base = facts.former ?? facts.link;
  const { changes, warnings } = compareAttributes(user.profile, { ...facts, link: base }, rules);
  const own = (base?.groups ?? []).filter(({ id }) => !facts.foreignGroups.includes(id));
  const groups = compareGroups(facts.groups, own, lookUp);
  const connectors = [rules.connector, linking?.replaces?.connector ?? rules.connector];
  const isReactivation = isOffByUs(user, base, connectors);
  const isForeign = !user.profile.active && !isReactivation;
  const manager = plannedManager(facts, rules, base);
  const after = linkAfter(facts, {
    userId: user.id,
    state: 'active',
    deactivatedHere: false,
    applied: facts.attributes,
    groups: groups.kept,
    unmet: groups.unmet,
    ...(manager !== undefined && { manager, unmetManager: null }),
  });
  const notes =
    isForeign && base?.state !== 'active'
      ? [...warnings, 'The user was deactivated by another interface and stays inactive.']
      : warnings;
  const kind = linking?.kind ?? (isReactivation ? 'reactivate' : 'update');
  const isNothing =
    !linking &&
    !isReactivation &&
    changes.length + groups.changes.length === 0 &&
    manager === undefined;
  if (isNothing) return touch(facts, after, notes);
  const of = {
    changes,
    groups: groups.changes,
    ...(manager !== undefined && { manager, ...(base?.manager != null && { hadManager: true }) }),
  };
  return itemOfRecord(facts, kind, {
    after,
    userId: user.id,
    ...of,
    why: isReactivation ? 'Active again in the source.' : changeInWords(of),
    changes: isReactivation ? [ACTIVATED, ...changes] : changes,
    isEmailChange: changesEmail(user, changes),
    ...linking,
    ...(notes.length > 0 && { warnings: notes }),
  });
};

const plannedManager = (
  { attributes, link, isManagerChanged }: RecordFacts,
  { setsManager, owned }: PlanRules,
  base: Link | undefined = link,
): string | null | undefined => {
  if (!setsManager || !owned.has(MANAGER)) return undefined;
  const wanted = (attributes[MANAGER] as string | undefined) ?? null;
  // What had no user yet is tried again whenever the record is planned again.
  const isSet = wanted === (base?.manager ?? null) && (base?.unmetManager ?? null) === null;
  return isSet && !isManagerChanged ? undefined : wanted;
};

const planNew = (facts: RecordFacts, rules: PlanRules, lookUp: GroupLookup): Planned => {
  const { identity, user, former, formerRead } = facts;
  if (identity.kind === 'waits') return failed(identity.code, identity.message);
  if (identity.kind === 'new person' || !user) return planCreation(facts, rules, lookUp);
  const { by, from } = identity;
  const reason = former?.state === 'left' ? 'A rehire' : 'A new record id';
  const linking: Linking =
    former && from
      ? {
          kind: 'relink',
          why: `${reason}: the record ${former.sourceId} had the same ${by}.`,
          replaces: { ...from, rev: former.rev, ...(formerRead && { read: formerRead }) },
        }
      : { kind: 'link', why: `An existing user has the same ${by}.` };
  return planUser(facts, { user, linking }, rules, lookUp);
};

const planCreation = (facts: RecordFacts, rules: PlanRules, lookUp: GroupLookup): Planned => {
  const groups = compareGroups(facts.groups, [], lookUp);
  const manager = plannedManager(facts, rules);
  return itemOfRecord(facts, 'create', {
    ...(facts.link?.state !== 'future' && { why: 'New in the source.' }),
    after: linkAfter(facts, {
      state: 'active',
      deactivatedHere: false,
      applied: facts.attributes,
      groups: [],
      unmet: groups.unmet,
      ...(manager !== undefined && { manager }),
    }),
    changes: changesOfNew(facts.attributes),
    groups: groups.changes,
    ...(manager !== undefined && manager !== null && { manager }),
  });
};

const ADDRESS: ReadonlySet<string> = new Set(['userName', 'emails']);

/**
 * Changes a user only by the link: another person may have the address by now. What of the address
 * another person gets is given up.
 */
const planLeaver = (facts: RecordFacts, rules: PlanRules): Planned => {
  const { link, user, stage } = facts;
  const given =
    user && facts.isVacated
      ? compareAttributes(user.profile, facts, rules).changes.filter(({ attribute }) =>
          ADDRESS.has(attribute),
        )
      : [];
  // What the connector has applied once stays, should another interface reactivate the user.
  const isOff = link?.state === 'left' || !user?.profile.active;
  if (!user || (isOff && given.length === 0))
    return touch(facts, { state: 'left', ...(!link?.userId && { userId: null }) });
  return itemOfRecord(facts, isOff ? 'update' : 'deactivate', {
    after: linkAfter(facts, {
      userId: user.id,
      state: 'left',
      ...(!isOff && { deactivatedHere: true }),
    }),
    userId: user.id,
    changes: isOff ? given : [DEACTIVATED, ...given],
    isDeactivation: !isOff,
    isEmailChange: changesEmail(user, given),
    ...(isOff && { why: 'Another person gets the address.' }),
    ...(stage.isByDate && !isOff && { isByDate: true as const }),
  });
};

const planFuture = (facts: RecordFacts): Planned => {
  const { link } = facts;
  // A first day that moves ahead takes no seat away, and a rehire waits for the day.
  if (link?.userId) return touch(facts, {});
  const after = linkAfter(facts, { state: 'future' });
  return link && isSame({ ...link, rev: after.rev }, after)
    ? UNCHANGED
    : itemOfRecord(facts, 'future', { after });
};

/** Plans a record that the source has. */
export const planRecord = (facts: RecordFacts, rules: PlanRules, lookUp: GroupLookup): Planned => {
  const { link, user, stage } = facts;
  if (stage.state === 'left') return planLeaver(facts, rules);
  if (stage.state === 'future') return planFuture(facts);
  if (!link?.userId) return planNew(facts, rules, lookUp);
  if (!user)
    return failed(
      'USER_DELETED',
      'The user was deleted by another interface. Retry the record to create a new user, or ignore it.',
    );
  return planUser(facts, { user }, rules, lookUp);
};

/** Whether the record and its dates are as they were: then only its user may need anything. */
export const isAsRead = (
  link: LinkState | undefined,
  { hash, stage }: Pick<RecordFacts, 'hash' | 'stage'>,
  today: IsoDate,
): boolean =>
  link?.hash === hash &&
  link.missing === 0 &&
  !link.deferred &&
  (link.changesOn === null || link.changesOn > today) &&
  (stage.state === 'future'
    ? link.changesOn === stage.changesOn && (link.userId !== null || link.state === 'future')
    : link.state === stage.state);

/** Whether nothing is to be done for a record: then it needs no mapping. */
export const isSettled = (
  { link, user, ...record }: Pick<RecordFacts, 'link' | 'user' | 'hash' | 'stage'>,
  { today, rules, lookUp }: SettledParts,
): boolean =>
  link !== undefined &&
  isAsRead(link, record, today) &&
  (record.stage.state !== 'active' ||
    (!link.unmet.some((name) => lookUp(name) !== undefined) && isAsApplied(link, user, rules)));

export interface SettledParts {
  readonly today: IsoDate;
  readonly rules: PlanRules;
  readonly lookUp: GroupLookup;
}

/** Whether no other interface has changed what the source decides. */
const isAsApplied = (link: Link, user: User | undefined, rules: PlanRules): boolean =>
  user !== undefined &&
  !isOffByUs(user, link, [rules.connector]) &&
  (user.version === link.userVersion ||
    compareAttributes(user.profile, { attributes: link.applied as Attributes, link }, rules).changes
      .length === 0);
