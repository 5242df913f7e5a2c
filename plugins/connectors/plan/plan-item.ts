import { createHash } from 'node:crypto';
import type { GroupId, JsonObject, JsonValue, UserId } from '../../../src/plugin/api.js';
import type { User } from '../../../src/plugin/connectors-api.js';
import type { FormerRecord } from '../identify/identities.js';
import { hashOf, type Link, type LinkedGroup, NO_LINK } from '../link.js';
import { type Attributes, MANAGER, profileValue } from '../mapping/attributes.js';
import { hasValue } from '../mapping/read-path.js';

/**
 * What is planned for a record, the riskiest first. `touch` only updates what the connector remembers, and
 * `missing` counts an absence; both leave the user alone. `deferred` puts a deactivation off, while another
 * record claims the user.
 */
export const ITEM_KINDS = [
  'deactivate',
  'relink',
  'missing',
  'deferred',
  'reactivate',
  'create',
  'link',
  'update',
  'future',
  'touch',
] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

const [DEACTIVATE, ...OTHERS] = ITEM_KINDS;

/** Of people in a plan, the riskiest first: their kinds, and `leave` for all who leave a group. */
export const PLAN_CLASSES = [DEACTIVATE, 'leave', ...OTHERS] as const;
export type PlanClass = (typeof PLAN_CLASSES)[number];

export const classOf = ({ kind, groups }: Pick<PlanItem, 'kind' | 'groups'>): PlanClass =>
  groups.some(({ op }) => op === 'remove') ? 'leave' : kind;

/** An attribute before and after; null: no value. */
export interface AttributeChange {
  readonly attribute: string;
  readonly before: JsonValue;
  readonly after: JsonValue;
}

export interface GroupChange {
  readonly op: 'add' | 'remove';
  readonly name: string;
  /** Null: it will be created by the run. */
  readonly groupId: GroupId | null;
  /** The membership that is removed, as the link has it. */
  readonly linked?: LinkedGroup;
}

/** One person in a plan: who, what, from what to what, why. */
export interface PlanItem {
  readonly sourceId: string;
  readonly kind: ItemKind;
  readonly userId: UserId | null;
  readonly label: string;
  readonly why: string;
  readonly changes: readonly AttributeChange[];
  readonly groups: readonly GroupChange[];
  /** The record id of the new manager; null: none any more; absent: unchanged. */
  readonly manager?: string | null;
  /** The link's, when it was planned: if it has moved since, the item is out of date. */
  readonly rev: number;
  /** The link once the item is applied. */
  readonly after: Link;
  /** Whether it takes the seat of an active user. */
  readonly isDeactivation: boolean;
  readonly isEmailChange: boolean;
  /** Whether only a date, and no change of the record, deactivates the user. */
  readonly isByDate?: true;
  /** What the connector leaves alone, and why. */
  readonly warnings?: readonly string[];
  /** Whether the record was in quarantine. */
  readonly isRetry?: true;
  /** The record whose link a relink ends; `rev` and what was read of it belong to the time of the plan. */
  readonly replaces?: FormerRecord & {
    readonly rev: number;
    readonly read?: Pick<Link, 'hash' | 'data'>;
  };
  /** Whether the user had a manager before. */
  readonly hadManager?: boolean;
}

/** Everything that a new user gets; managers are planned apart. */
export const changesOfNew = (attributes: JsonObject): readonly AttributeChange[] =>
  Object.entries(attributes)
    .filter(([attribute]) => attribute !== MANAGER)
    .map(([attribute, after = null]) => ({ attribute, before: null, after }));

/** The user name and addresses of the user, before or after the changes. */
export const addressOf = (
  user: User | undefined,
  changes: readonly AttributeChange[],
  when: 'before' | 'after',
): Attributes => {
  const found: Record<string, JsonValue> = {};
  for (const attribute of ['userName', 'emails']) {
    const change = changes.find((one) => one.attribute === attribute);
    const value = change ? change[when] : user && profileValue(user.profile, attribute);
    if (hasValue(value)) found[attribute] = value;
  }
  return found;
};

type Values = Readonly<Record<string, unknown>>;

const USUAL_ITEM = { changes: [], groups: [], isDeactivation: false, isEmailChange: false };

/** Of the link, what follows from the item, and what most links have. */
const usualLink = ({ sourceId, userId, label, rev }: PlanItem): Values => ({
  ...NO_LINK,
  ...{ sourceId, userId, label, rev: rev + 1 },
});

const withoutUsual = (values: Values, usual: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) =>
        value !== usual[name] &&
        !(Array.isArray(usual[name]) && Array.isArray(value) && value.length === 0),
    ),
  );

/** As it is stored: a plan may have half a million items. */
export const toStoredItem = ({ after, changes, ...item }: PlanItem): Values => ({
  ...withoutUsual({ ...item, ...(item.kind !== 'create' && { changes }) }, USUAL_ITEM),
  after: withoutUsual({ ...after }, usualLink({ after, changes, ...item })),
});

export const fromStoredItem = (stored: JsonObject): PlanItem => {
  const item = { ...USUAL_ITEM, ...stored } as unknown as PlanItem;
  const after = { ...usualLink(item), ...item.after };
  const { changes = item.kind === 'create' ? changesOfNew(after.applied) : [] } = stored;
  return { ...item, after, changes: changes as PlanItem['changes'] };
};

/** A digest of what a plan does, in its order: an approval is bound to it. */
export class PlanDigest {
  readonly #hash = createHash('sha256');

  add(item: PlanItem): void {
    // Operators do not see what only remembers something.
    if (item.kind === 'touch') return;
    const visible = hashOf(
      item.sourceId,
      item.kind,
      item.userId,
      item.changes.map(({ attribute, before, after }) => [attribute, before, after]),
      item.groups.map(({ op, name }) => [op, name]),
      item.manager ?? null,
      item.why,
    );
    this.#hash.update(visible);
  }

  value(): string {
    return this.#hash.copy().digest('hex').slice(0, 32);
  }
}
