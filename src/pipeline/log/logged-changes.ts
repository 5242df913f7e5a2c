import type { DescribedRecord } from '../../domain/kernel/decider.js';
import { isSame, type JsonObject, type JsonValue } from '../../domain/kernel/json.js';
import { maskNumbersIn } from '../../domain/kernel/names.js';
import type { Change, Entities } from '../../domain/tables.js';
import { SCIM_SETTING_NAMES } from '../../domain/tenant/scim-settings.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { displayNameOf, roleOf, type UserProfile } from '../../domain/user/user.js';
import { changedPaths } from '../../domain/user/user-rules.js';
import { TEXT_PATHS, textsOf } from '../../domain/user/user-texts.js';
import type { LoggedChange } from '../commit-store.js';
import type { Subject } from './logged-subject.js';

/** Fields that are logged with their values, by their names in the API (decisions.md 8). */
type Fields = Readonly<Record<string, JsonValue>>;

const MAX_TEXT = 256;
const MAX_LIST = 32;

/** The text as it is logged: phone numbers masked, truncated. */
export const loggedText = (text: string): string => {
  const masked = maskNumbersIn(text);
  return masked.length > MAX_TEXT ? `${masked.slice(0, MAX_TEXT - 1)}…` : masked;
};

const logged = (value: JsonValue): JsonValue => {
  if (typeof value === 'string') return loggedText(value);
  if (Array.isArray(value)) return (value as readonly JsonValue[]).slice(0, MAX_LIST).map(logged);
  return value;
};

const instant = (at: Date | null): string | null => at?.toISOString() ?? null;

const declarationOf = ({ customAttributes }: Pick<Tenant, 'customAttributes'>): JsonValue =>
  customAttributes.length === 0
    ? null
    : customAttributes.map(
        ({ name, type, multiValued, required }) =>
          `${name} ${type}${multiValued ? '[]' : ''}${required ? ', required' : ''}`,
      );

const FIELDS: {
  readonly [T in Change['table']]?: (
    entity: T extends keyof Entities ? Entities[T] : Tenant,
    tenant: Pick<Tenant, 'defaultRole'>,
  ) => Fields;
} = {
  users: (user, tenant) => ({
    user_name: user.profile.userName,
    display_name: displayNameOf(user.profile),
    email: user.email,
    ...textsOf(user.profile),
    active: user.profile.active,
    role: roleOf(user, tenant),
  }),
  rooms: ({ name }) => ({ name }),
  groups: ({ displayName, externalId, roomId }) => ({
    display_name: displayName,
    external_id: externalId,
    room_id: roomId,
  }),
  roleMappings: (mapping) => ({
    group_display_name: mapping.groupDisplayName,
    role: mapping.role,
    apply_on_scim_provisioning: mapping.applyOnScimProvisioning,
    priority: mapping.priority,
  }),
  smsLists: ({ name, externalId, validFrom, validUntil }) => ({
    name,
    external_id: externalId,
    valid_from: instant(validFrom),
    valid_until: instant(validUntil),
  }),
  apiKeys: ({ description, prefix, scopes, expiresAt }) => ({
    description,
    prefix,
    scopes: [...scopes],
    expires_at: instant(expiresAt ?? null),
  }),
  tenant: ({ scim, ...tenant }) => ({
    slug: tenant.slug,
    name: tenant.name,
    seat_capacity: tenant.seatCapacity,
    default_role: tenant.defaultRole,
    room_provisioning: tenant.roomProvisioning,
    default_country: tenant.defaultCountry,
    ...Object.fromEntries(SCIM_SETTING_NAMES.map(([name, key]) => [`scim.${name}`, scim[key]])),
    custom_attributes: declarationOf(tenant),
    request_capture_until: instant(tenant.captureUntil),
  }),
};

/** Profile attributes that FIELDS contains. */
const WITH_FIELDS = new Set(['userName', 'displayName', 'active', ...TEXT_PATHS.keys()]);

const differing = (one: JsonObject, other: JsonObject): readonly string[] =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((name) => !isSame(one[name], other[name]))
    .sort();

/** Other SCIM attributes are logged by name only, without values (pipeline-rules.md 15). */
const namesOfAttributes = (one: UserProfile, other: UserProfile): readonly string[] =>
  changedPaths(one, other)
    .filter((path) => !WITH_FIELDS.has(path))
    .sort();

export interface ChangesContext {
  readonly subject: Subject;
  readonly tenant: Tenant | undefined;
  readonly describe: (record: Entities['pluginRecords']) => DescribedRecord | undefined;
}

/** The path of an entity's fields; empty for the subject. */
const prefixOf = ({ table, before, after }: Change, { subject }: ChangesContext): string => {
  const id = table === 'tenant' ? null : (after ?? before)?.id;
  if (table === subject.table && id === subject.id) return '';
  if (table === 'tenant' || table === 'pluginRecords') return '';
  return `${SHOWN_TABLES[table] ?? table}[${id ?? ''}].`;
};

const SHOWN_TABLES: Partial<Record<Change['table'], string>> = {
  roleMappings: 'role_mappings',
  smsLists: 'sms_lists',
  apiKeys: 'api_keys',
};

/** The fields that differ; all set fields of a created or deleted entity. */
const compare = (prefix: string, before: Fields | null, after: Fields | null): LoggedChange[] =>
  Object.keys(after ?? before ?? {}).flatMap((name) => {
    const [was, is] = [before?.[name] ?? null, after?.[name] ?? null];
    return isSame(was, is) ? [] : [{ path: prefix + name, before: logged(was), after: logged(is) }];
  });

const ofMembership = (
  { before, after }: Extract<Change, { readonly table: 'memberships' }>,
  isRoom: boolean,
  prefix: string,
): LoggedChange => {
  const path = `${prefix}members[${(after ?? before)?.userId ?? ''}]`;
  return isRoom
    ? {
        path: `${path}.tx_permission`,
        before: before?.txPermission ?? null,
        after: after?.txPermission ?? null,
      }
    : { path, before: before !== null, after: after !== null };
};

const countOf = (entity: { readonly memberCount: number } | null): number =>
  entity?.memberCount ?? 0;

const ofCount = (change: Change, context: ChangesContext, prefix: string): LoggedChange[] => {
  const { table, before, after } = change;
  if (table !== 'rooms' && table !== 'groups' && table !== 'smsLists') return [];
  if (countOf(before) === countOf(after)) return [];
  // A mapped room and its group have the same members: logged once, for the command's subject.
  const isDuplicate =
    table === 'groups'
      ? (after ?? before)?.roomId !== null && context.subject.table !== 'groups'
      : table === 'rooms' && context.subject.table === 'groups';
  return isDuplicate
    ? []
    : [{ path: `${prefix}members`, before: countOf(before), after: countOf(after) }];
};

const ofRecord = (
  { before, after }: Extract<Change, { readonly table: 'pluginRecords' }>,
  { describe }: ChangesContext,
): LoggedChange[] => {
  const [was, is] = [before && describe(before), after && describe(after)];
  const shown = compare('', (was?.shown ?? null) as Fields | null, (is?.shown ?? null) as Fields);
  const shownPaths = new Set(shown.map(({ path }) => path));
  const hidden = before && after ? differing(was?.hidden ?? {}, is?.hidden ?? {}) : [];
  return [...shown, ...hidden.filter((path) => !shownPaths.has(path)).map((path) => ({ path }))];
};

/** The path of a roster's members; empty if they are the subject's. */
const rosterPrefix = (
  rosterId: string,
  { subject }: ChangesContext,
  { rooms, subjectRoom }: Rosters,
): string => {
  if (rosterId === subject.id || rosterId === subjectRoom) return '';
  return `${rooms.has(rosterId) ? 'rooms' : 'groups'}[${rosterId}].`;
};

interface Rosters {
  /** Ids of the rooms whose roster changed. */
  readonly rooms: ReadonlySet<string>;
  /** The room of the group that is the subject. */
  readonly subjectRoom: string | null;
}

const rostersOf = (changes: readonly Change[], { subject }: ChangesContext): Rosters => {
  const rooms = new Set<string>();
  let subjectRoom: string | null = null;
  for (const { table, before, after } of changes) {
    if (table === 'rooms') rooms.add((after ?? before)?.id ?? '');
    const group = table === 'groups' ? (after ?? before) : null;
    if (group?.roomId) rooms.add(group.roomId);
    if (group && group.id === subject.id) subjectRoom = group.roomId;
  }
  return { rooms, subjectRoom };
};

/** The net changes of one command, value by value; members come last. */
export const loggedChanges = function* (
  changes: readonly Change[],
  context: ChangesContext,
): Generator<LoggedChange> {
  const rosters = rostersOf(changes, context);
  const tenant = context.tenant ?? { defaultRole: '' };
  for (const change of changes) {
    if (change.table === 'memberships') continue;
    if (change.table === 'pluginRecords') {
      yield* ofRecord(change, context);
      continue;
    }
    const prefix = prefixOf(change, context);
    // Each function takes the entities of its own table, which TypeScript does not follow.
    const fieldsOf = FIELDS[change.table] as
      ((entity: unknown, tenant: Pick<Tenant, 'defaultRole'>) => Fields) | undefined;
    const { before, after } = change;
    if (fieldsOf)
      yield* compare(prefix, before && fieldsOf(before, tenant), after && fieldsOf(after, tenant));
    yield* ofCount(change, context, prefix);
    if (change.table === 'users' && change.before && change.after)
      for (const path of namesOfAttributes(change.before.profile, change.after.profile))
        yield { path: prefix + path };
  }
  for (const change of changes) {
    if (change.table !== 'memberships') continue;
    const rosterId = (change.after ?? change.before)?.rosterId ?? '';
    const isRoom = rosters.rooms.has(rosterId);
    yield ofMembership(change, isRoom, rosterPrefix(rosterId, context, rosters));
  }
};
