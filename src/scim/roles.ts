import type { RoleCount, RoleReader } from '../ports/rooms.js';
import { matchFilter } from '../domain/kernel/filter.js';
import type { JsonObject } from '../domain/kernel/json.js';
import { raise } from '../domain/kernel/refusals.js';
import type { Position } from '../ports/users.js';
import { attributeTable, type ResourceSchema } from './attributes.js';
import { type ListQuery, pageCursors, readListQuery } from './list-query.js';
import { includesAttribute, project } from './projection.js';
import { listResponse } from './responses.js';
import {
  type AttributeDescription,
  describeCommonAttributes,
  type SchemaDescription,
} from './scimmy.js';
import type { ScimRequest } from './scim-request.js';

const COUNT = 'totalAssignmentsUsed';

const readOnly = (
  name: string,
  type: string,
  description: string,
  more: Partial<AttributeDescription> = {},
): AttributeDescription => ({
  name,
  type,
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readOnly',
  returned: 'default',
  uniqueness: 'none',
  ...more,
});

/** draft-ietf-scim-roles-entitlements-01, without the attributes that roles do not have here. */
export const ROLE_SCHEMA_DESCRIPTION: SchemaDescription = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Role',
  name: 'Role',
  description: 'A role that users have by default or by the role mappings of their groups.',
  attributes: [
    readOnly('value', 'string', 'The role.', {
      ...{ required: true, caseExact: true, uniqueness: 'server' },
    }),
    readOnly('display', 'string', 'The name that is shown: the value.', { caseExact: true }),
    readOnly('supported', 'boolean', 'Whether the role can be used.', { required: true }),
    readOnly(COUNT, 'integer', 'How many users have the role; absent if too many to count.'),
  ],
};

export const ROLE: ResourceSchema = {
  name: 'Role',
  endpoint: '/Roles',
  urn: ROLE_SCHEMA_DESCRIPTION.id,
  extensions: [],
  attributes: new Map([
    ...attributeTable(describeCommonAttributes()),
    ...attributeTable(ROLE_SCHEMA_DESCRIPTION.attributes),
  ]),
  optionalOnWrite: new Set(),
  ignoredOnWrite: new Set(),
  sortable: new Set(['id', 'value', 'display']),
  equalityOnly: new Set(),
  unfilterable: new Map([[COUNT, 'it is counted for the page only']]),
};

/** A role is known by its name, which never changes. */
const presentRole = (name: string, users?: RoleCount): JsonObject => ({
  schemas: [ROLE.urn],
  id: name,
  value: name,
  display: name,
  supported: true,
  ...(users !== undefined && { [COUNT]: users }),
  meta: { resourceType: ROLE.name },
});

interface NamePage {
  readonly names: readonly string[];
  readonly next?: Position;
  readonly previous?: Position;
}

/** All names are in memory: a page is a part of them. */
const pageOf = (
  all: readonly string[],
  { startIndex, count, cursor, sort }: ListQuery,
): NamePage => {
  if (!cursor) return { names: all.slice(startIndex - 1, startIndex - 1 + count) };
  const { request } = cursor;
  const [position] = request.to === 'first' ? [] : request.position;
  const isAfter = (name: string): boolean =>
    sort?.descending === true ? name < String(position) : name > String(position);
  const firstAfter = all.findIndex(isAfter);
  const end = firstAfter < 0 ? all.length : firstAfter;
  const at = all[end - 1] === position ? end - 1 : end;
  const from = { first: 0, after: end, before: Math.max(0, at - count) }[request.to];
  const to = request.to === 'before' ? at : Math.min(all.length, from + count);
  const names = all.slice(from, to);
  const [first, last] = [names[0], names.at(-1)];
  return {
    names,
    ...(last !== undefined && to < all.length && { next: [last] }),
    ...(first !== undefined && from > 0 && { previous: [first] }),
  };
};

/** `GET /Roles`, in tenants that have it switched on. */
export const listRoles = async (request: ScimRequest, roles: RoleReader): Promise<JsonObject> => {
  const { tenant } = request.caller;
  if (!tenant.scim.roles)
    raise('NOT_FOUND', 'This tenant does not show its roles: switch on `scim.roles`.');
  const query = readListQuery(ROLE, request.parameters);
  const { filter, sort, cursor, startIndex, projection } = query;
  const names = await roles.names(tenant);
  const matching = filter ? names.filter((name) => matchFilter(filter, presentRole(name))) : names;
  const page = pageOf(sort?.descending ? matching.toReversed() : matching, query);
  const users =
    page.names.length > 0 && includesAttribute(projection, COUNT)
      ? await roles.counts(tenant, page.names)
      : undefined;
  const position = cursor ? pageCursors(page, cursor.queryHash) : { startIndex };
  return listResponse(
    page.names.map((name) => project(presentRole(name, users?.get(name)), projection)),
    { total: matching.length, ...position },
  );
};
