import { z } from 'zod';
import { raise } from '../../domain/kernel/refusals.js';
import {
  idField,
  instantField,
  CustomValue,
  identifierField,
  lineField,
  flagField,
  PAGE_FIELDS,
  pageOf,
  parseSort,
  sortField,
  textFilter,
} from '../../routes/fields.js';
import { shownCustom } from '../../domain/tenant/custom-attributes.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { withoutNulls } from '../../domain/user/profile-lists.js';
import { readCustom } from '../../scim/tenant-schema.js';
import {
  displayNameOf,
  roleOf,
  type User,
  isEmailAddress,
  type UserProfile,
} from '../../domain/user/user.js';
import { textsOf, USER_TEXTS, type UserText, withTexts } from '../../domain/user/user-texts.js';
import { readRoute, type Route, tenantRoute, writeRoute } from '../../routes/route.js';
import { fromWire, toWire } from '../../routes/wire.js';
import type { UserRoom } from '../../ports/rooms.js';
import type { CursorRequest, UserQuery, UserReader } from '../../ports/users.js';
import { parseRoomId, parseUserId, type UserId } from '../../domain/kernel/ids.js';
import { newId } from '../../pipeline/submit.js';
import { resourceRoutes } from '../routing/resource-routes.js';
import { maskValues } from '../../process/mask-json.js';
import { CSV_TYPE, type CsvColumn, csvOf } from '../../routes/csv.js';
import type { RouteParts } from './route-parts.js';

/** A field for each text that has one, by their names. */
const textFields = (fieldOf: (text: UserText) => z.ZodType | undefined): object =>
  Object.fromEntries(
    Object.entries(USER_TEXTS).flatMap(([name, text]) => {
      const field = fieldOf(text);
      return field ? [[name, field]] : [];
    }),
  );

const textInput = ({ about }: UserText) => identifierField(256).optional().describe(`${about}.`);

/** User: the fields of interface.md, then those of decisions.md 4. */
const NativeUser = z
  .strictObject({
    id: idField("The user's id."),
    email: z
      .string()
      .nullable()
      .describe(
        'Of a SCIM user: the primary address, else the first, else the user name, else null. Texts ' +
          'that are no e-mail address do not count.',
      ),
    display_name: z.string(),
    active: z.boolean().describe('False after deactivation: the user cannot sign in.'),
    created_at: instantField('When the user was created.'),
    user_name: z.string().describe('The SCIM userName; for users created over REST, the e-mail.'),
    ...textFields(({ title, about }) =>
      z
        .string()
        .nullable()
        .meta({ title, description: `${about}, or null.` }),
    ),
    role: z.string().describe("Role from a role mapping, else the tenant's default role."),
    updated_at: instantField('When the user was last changed.'),
    custom: z
      .record(z.string(), CustomValue)
      .optional()
      .describe("Values of the tenant's own attributes. Absent if the tenant declares none."),
  })
  .meta({ id: 'User' });

const USER_FOR_CUSTOMERS =
  'id email display_name active user_name external_id role created_at updated_at';

export type NativeUser = z.output<typeof NativeUser>;

// The declared types are those of CustomValue.
const customOf = ({ profile }: User, { customAttributes }: Pick<Tenant, 'customAttributes'>) =>
  (shownCustom(customAttributes, profile.custom) ?? {}) as NonNullable<NativeUser['custom']>;

const presentUser = (user: User, tenant: Pick<Tenant, 'defaultRole' | 'customAttributes'>) => {
  const view = toWire(NativeUser, {
    // Not `...user`: spreading an object and replacing its fields would triple the time of long lists.
    id: user.id,
    email: user.email,
    createdAt: user.createdAt,
    updatedAt: user.updatedAt,
    displayName: displayNameOf(user.profile),
    active: user.profile.active,
    userName: user.profile.userName,
    role: roleOf(user, tenant),
    ...(tenant.customAttributes.length > 0 && { custom: customOf(user, tenant) }),
  });
  return Object.assign(view, textsOf(user.profile));
};

const displayName = lineField(256).describe("The user's name.");

const NewUser = z
  .strictObject({
    email: identifierField(254)
      .refine(isEmailAddress, 'must be an e-mail address')
      .meta({ format: 'email', description: 'Unique in the tenant, ignoring case.' }),
    display_name: displayName.optional(),
    ...textFields(textInput),
    active: z.boolean().default(true).describe('Each active user takes a seat.'),
    custom: z
      .record(z.string(), CustomValue)
      .optional()
      .describe("Values of the tenant's own attributes, by name."),
  })
  .meta({
    id: 'UserInput',
    examples: [{ email: 'ada@example.com', display_name: 'Ada Lovelace', external_id: 'HR-1815' }],
  });

const UserChanges = z
  .strictObject({
    display_name: displayName.optional(),
    ...textFields(({ isFixed, ...text }) => (isFixed ? undefined : textInput(text).nullable())),
    active: z.boolean().optional(),
    custom: z
      .record(z.string(), CustomValue.nullable())
      .optional()
      .describe(
        "Values of the tenant's own attributes, by name; null removes one. Others stay unchanged.",
      ),
  })
  .refine(
    (changes) => Object.values(changes).some((value) => value !== undefined),
    'must contain at least one of display_name, active and custom',
  )
  .meta({ id: 'UserChanges', minProperties: 1, examples: [{ active: false }] });

/** The profile of a user created over REST (decisions.md 4). */
const profileOf = ({
  email,
  display_name: name,
  active,
  ...texts
}: Omit<z.output<typeof NewUser>, 'custom'>): UserProfile => ({
  userName: email,
  ...withTexts({ ...(name !== undefined && { displayName: name }), active }, texts),
  emails: [{ value: email, type: 'work', primary: true }],
});

const tag = 'Users';
const TENANT_TAG = 'Users of a tenant';
const READ = { scope: 'api:users:read', tag } as const;
const WRITE = { scope: 'api:users:write', role: 'operator', tag } as const;

const UserFilters = z.strictObject({
  ...PAGE_FIELDS,
  email: textFilter('Users with this e-mail address, ignoring case.'),
  external_id: textFilter('Users with this external id.'),
  active: flagField().optional().describe('Only active (or only deactivated) users.'),
  role: textFilter('Users with this role.'),
  q: textFilter('Users whose e-mail address or display name starts with this.'),
  search: textFilter(
    'Users whose e-mail address, user name or display name, or a later word of one, starts with ' +
      'this: `lovelace` finds Ada Lovelace.',
  ),
});

/** What lists of users are sorted by; each has an index. */
const SORT_ATTRIBUTES = {
  created_at: { path: ['meta', 'created'], type: 'dateTime', caseExact: true },
  display_name: { path: ['displayName'], type: 'string', caseExact: false },
  updated_at: { path: ['meta', 'lastModified'], type: 'dateTime', caseExact: true },
} as const;

const Sort = sortField(SORT_ATTRIBUTES);

const sortOf = (text: NonNullable<z.output<typeof Sort>>) => {
  const { by: attribute, descending } = parseSort(SORT_ATTRIBUTES, text);
  return { attribute, descending };
};

/** Operators also have members of rooms, and other orders. */
const OperatorUserFilters = UserFilters.extend({
  room: idField('Members of this room.').optional(),
  sort: Sort,
});

/** Of either interface, without the page. */
type AnyUserFilters = Omit<z.output<typeof UserFilters>, 'limit' | 'offset'> &
  Partial<Pick<z.output<typeof OperatorUserFilters>, 'room' | 'sort'>>;

const conditionsOf = (
  { q, room, sort, ...filters }: AnyUserFilters,
  { defaultRole }: Tenant,
): Omit<UserQuery, 'limit' | 'offset'> => ({
  defaultRole,
  ...fromWire(filters),
  ...(q !== undefined && { prefix: q }),
  ...(room !== undefined && { room: parseRoomId(room) ?? raise('ROOM_NOT_FOUND') }),
  ...(sort && { sort: sortOf(sort) }),
});

const user = resourceRoutes({
  noun: 'user',
  path: '/users',
  view: NativeUser,
  present: presentUser,
  versionOf: ({ version }: User) => version,
  parse: parseUserId,
  missing: 'USER_NOT_FOUND',
  target: (userId) => ({ userId }),
  commands: { create: 'user.create', update: 'user.update', delete: 'user.deactivate' },
});

const ofUsers = ({ users }: RouteParts): readonly Route[] => [
  readRoute({
    ...READ,
    ...user.list({
      query: UserFilters,
      read: async (tenantId, { limit, offset, ...filters }, tenant) => {
        const query = { ...conditionsOf(filters, tenant), limit, offset };
        const { users: items, total } = await users.page(tenantId, query);
        return { items, total };
      },
    }),
    operationId: 'listUsers',
    forCustomers: { fields: `total limit offset users(${USER_FOR_CUSTOMERS})` },
    summary: 'List users',
    description: 'Oldest first. Filters are combined with AND.',
    operators: { query: OperatorUserFilters },
    refusals: ['INVALID_FILTER'],
  }),
  writeRoute({
    ...WRITE,
    ...user.create({
      body: NewUser,
      fields: ({ custom, ...given }, tenant) => ({
        userId: newId<UserId>(),
        profile: {
          ...profileOf(given),
          ...(custom && { custom: withoutNulls(readCustom(tenant, custom)) }),
        },
      }),
      refusals: ['EMAIL_TAKEN', 'USERNAME_TAKEN', 'SEAT_CAPACITY_REACHED'],
    }),
    operationId: 'createUser',
    summary: 'Create a user',
    description: 'Emits `user.created`.',
  }),
  readRoute({
    ...READ,
    ...user.get(users),
    operationId: 'getUser',
    forCustomers: { fields: USER_FOR_CUSTOMERS },
    summary: 'Get a user',
  }),
  writeRoute({
    ...WRITE,
    ...user.update({
      body: UserChanges,
      fields: (target, { display_name, active, custom, ...texts }, tenant) => ({
        ...target,
        ...fromWire({ display_name, active }),
        texts,
        ...(custom && { custom: readCustom(tenant, custom) }),
      }),
      refusals: ['SEAT_CAPACITY_REACHED'],
    }),
    operationId: 'updateUser',
    summary: "Update a user's name, active status or custom attributes",
    description:
      'Emits `user.updated` if the display name or an attribute changed, and `user.deactivated` or ' +
      '`user.reactivated` if the active status changed.',
  }),
  writeRoute({
    ...WRITE,
    ...user.delete(),
    operationId: 'deactivateUser',
    summary: 'Deactivate a user',
    description:
      'The record is retained and the seat becomes available. Emits `user.deactivated`, unless the ' +
      'user was already deactivated.',
    responses: { 204: { description: 'The user was deactivated.' } },
  }),
];

const ProfileView = z.strictObject({
  profile: z
    .record(z.string(), z.unknown())
    .describe('By the names of SCIM; extensions are under `enterprise` and `custom`. Masked.'),
});

const readProfile = ({ users }: RouteParts): Route =>
  tenantRoute({
    method: 'GET',
    path: '/users/{id}/profile',
    params: user.ofOne.params,
    operationId: 'getProfileOfUser',
    tag: TENANT_TAG,
    summary: 'Get the profile of a user',
    description: 'As the source of the user sent it, such as title and department.',
    responses: { 200: { description: 'The profile.', body: ProfileView } },
    refusals: ['USER_NOT_FOUND'],
    handler: async ({ caller: { tenant }, params: { id } }) => {
      const found = (await users.find(tenant.id, user.idFrom(id))) ?? raise('USER_NOT_FOUND');
      const custom = customOf(found, tenant);
      return { status: 200, body: { profile: maskValues({ ...found.profile, custom }) } };
    },
  });

const UserRoomView = z
  .strictObject({
    id: idField("The room's id."),
    name: z.string(),
    tx_permission: z.boolean().describe('Whether the user may transmit in the room.'),
    added_at: instantField('When the user was added.'),
  })
  .meta({ id: 'UserRoom' });

const presentRoom = (room: UserRoom) => toWire(UserRoomView, room);

const listRooms = ({ users, rooms }: RouteParts): Route =>
  tenantRoute({
    method: 'GET',
    path: '/users/{id}/rooms',
    params: user.ofOne.params,
    operationId: 'listRoomsOfUser',
    tag: TENANT_TAG,
    summary: 'List the rooms of a user',
    description: "By name; of the user's first 1,000 rooms and groups.",
    query: z.strictObject(PAGE_FIELDS),
    responses: {
      200: { description: 'A page of rooms.', body: pageOf('rooms', UserRoomView, 'UserRoomList') },
    },
    refusals: ['USER_NOT_FOUND'],
    handler: async ({ caller: { tenant }, params: { id }, query }) => {
      const userId = user.idFrom(id);
      const [found, page] = await Promise.all([
        users.find(tenant.id, userId),
        rooms.roomsOf(tenant.id, userId, query),
      ]);
      if (!found) raise('USER_NOT_FOUND');
      return {
        status: 200,
        body: { rooms: page.items.map(presentRoom), total: page.total, ...query },
      };
    },
  });

const COLUMNS = [
  ...['id', 'display_name', 'email', 'user_name', ...Object.keys(USER_TEXTS)],
  ...['active', 'role', 'created_at', 'updated_at'],
].map((name): CsvColumn<NativeUser> => [
  name,
  (user) => (user as Readonly<Record<string, unknown>>)[name] as string | boolean | null,
]);

const cellOf = (value: z.output<typeof CustomValue> | undefined) =>
  Array.isArray(value) ? value.join(', ') : (value ?? null);

/** With a column for each attribute that the tenant declares. */
const csvFor = ({ customAttributes }: Tenant) =>
  csvOf<NativeUser>([
    ...COLUMNS,
    ...customAttributes.map(({ name }): CsvColumn<NativeUser> => [
      `custom.${name}`,
      ({ custom }) => cellOf(custom?.[name]),
    ]),
  ]);

/** Users that are read at once. */
const EXPORT_PAGE = 500;

/** All users that match as CSV, page by page: as fast as the client reads. */
const csvLines = async function* (
  users: UserReader,
  tenant: Tenant,
  conditions: Omit<UserQuery, 'limit' | 'offset'>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const csv = csvFor(tenant);
  yield csv.header;
  let cursorRequest: CursorRequest | undefined = { to: 'first' };
  while (cursorRequest) {
    signal.throwIfAborted();
    const query: UserQuery = { ...conditions, limit: EXPORT_PAGE, offset: 0, cursorRequest };
    const { users: found, next } = await users.page(tenant.id, query);
    yield found.map((user) => csv.lineOf(presentUser(user, tenant))).join('');
    cursorRequest = next && { to: 'after', position: next };
  }
};

const exportUsers = ({ users }: RouteParts): Route =>
  tenantRoute({
    method: 'GET',
    path: '/users/export',
    operationId: 'exportTenantUsers',
    tag: TENANT_TAG,
    summary: 'Export users',
    description:
      'All users that match, as CSV (RFC 4180), read and sent page by page. An apostrophe precedes ' +
      'text that a spreadsheet would run as a formula. If reading fails midway, the connection breaks.',
    query: OperatorUserFilters.omit({ limit: true, offset: true }),
    responses: { 200: { description: 'The users.', mediaTypes: ['text/csv'] } },
    refusals: ['INVALID_FILTER'],
    handler: ({ caller: { tenant }, query, signal }) => {
      const chunks = csvLines(users, tenant, conditionsOf(query, tenant), signal);
      const name = `users-${tenant.slug}.csv`;
      return Promise.resolve({ status: 200, file: { type: CSV_TYPE, name, chunks } });
    },
  });

/** Users (interface.md, Users; decisions.md 4). */
export const userRoutes = (parts: RouteParts): readonly Route[] => [
  exportUsers(parts),
  ...ofUsers(parts),
  readProfile(parts),
  listRooms(parts),
];
