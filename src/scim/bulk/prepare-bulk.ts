import type { BulkableCommand, BulkOperation, RunBulk } from '../../domain/commands.js';
import {
  type IfMatch,
  raise,
  type Refusal,
  RefusalError,
  refuse,
} from '../../domain/kernel/refusals.js';
import {
  type AnyId,
  type GroupId,
  parseGroupId,
  parseUserId,
  type RoomId,
  type UserId,
  type CommandId,
} from '../../domain/kernel/ids.js';
import { type Chunked, asChunked } from '../../domain/kernel/chunked.js';
import type { JsonValue } from '../../domain/kernel/json.js';
import { newId } from '../../pipeline/submit.js';
import type { ScimSettings } from '../../domain/tenant/scim-settings.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { GROUP, USER } from '../schemas.js';
import { readUserPatch } from '../read-patch.js';
import { readNewGroup, readGroupPatch, readGroupReplacement } from '../read-group.js';
import { checkProfile } from '../interop-profile.js';
import { userSchemaOf } from '../tenant-schema.js';
import type { ResourceSchema } from '../attributes.js';
import { readUser, readUserReplacement } from '../read-user.js';
import { runCooperatively } from '../../pipeline/loop-scheduler.js';
import { checkExpression } from '../check-input.js';
import { bulkOrder, type Resolve, resolveInData, resolveInPath } from './bulk-references.js';
import type { BulkRequest, RequestOperation } from './read-bulk.js';

type Data = JsonValue | undefined;
interface Target {
  readonly ifMatch?: IfMatch;
}

/** A command; a generator if it has to read many members. */
type CommandReading = BulkableCommand | Chunked<BulkableCommand>;

/**
 * The operations of a Bulk request on a resource type. They produce the same commands as the type's
 * own endpoint, and throw RefusalError if the operation is not valid.
 */
interface BulkableType {
  /** `/Users` */
  readonly endpoint: string;
  /** `isReferred`: whether other operations refer to it, by an id that is known in advance. */
  readonly create: (id: AnyId, data: Data, isReferred: boolean) => CommandReading;
  readonly replace: (id: string, data: Data, target: Target) => CommandReading;
  readonly patch: (id: string, data: Data, target: Target) => CommandReading;
  readonly remove: (id: string, target: Target) => BulkableCommand;
  /** A PATCH returns the resource, or no content (decisions.md 3). */
  readonly patchStatus: 200 | 204;
}

const userId = (text: string): UserId => parseUserId(text) ?? raise('USER_NOT_FOUND');

const userType = (schema: ResourceSchema): BulkableType => ({
  endpoint: USER.endpoint,
  create: (id, data, isReferred) => ({
    type: 'user.create',
    userId: id as UserId,
    profile: readUser(data, schema),
    ...(!isReferred && { mayReactivate: true }),
  }),
  replace: (id, data, target) => ({
    type: 'user.replace',
    userId: userId(id),
    ...readUserReplacement(data, schema),
    ...target,
  }),
  patch: (id, data, target) => ({
    type: 'user.patch',
    userId: userId(id),
    changes: readUserPatch(data, schema),
    ...target,
  }),
  remove: (id, target) => ({ type: 'user.delete', userId: userId(id), ...target }),
  patchStatus: 200,
});

const groupId = (text: string): GroupId => parseGroupId(text) ?? raise('GROUP_NOT_FOUND');

const groupType = (scim: ScimSettings): BulkableType => ({
  endpoint: GROUP.endpoint,
  create: function* (id, data) {
    const ids = { groupId: id as GroupId, roomId: newId<RoomId>() };
    return { type: 'group.create', ...ids, ...(yield* readNewGroup(data, scim)) };
  },
  replace: function* (id, data, target) {
    const base = { type: 'group.change', groupId: groupId(id) } as const;
    return { ...base, ...(yield* readGroupReplacement(data, scim)), ...target };
  },
  patch: function* (id, data, target) {
    const base = { type: 'group.change', groupId: groupId(id) } as const;
    return { ...base, ...(yield* readGroupPatch(data, scim)), ...target };
  },
  remove: (id, target) => ({ type: 'group.delete', groupId: groupId(id), ...target }),
  patchStatus: 204,
});

type BulkableTypes = ReadonlyMap<string, BulkableType>;

/** What of a tenant the reading of operations depends on. */
type BulkTenant = Pick<Tenant, 'slug' | 'name' | 'customAttributes' | 'scim'>;

/** The type in a tenant whose profile forbids what others accept. */
const strictly = (type: BulkableType, tenant: BulkTenant, schema: ResourceSchema): BulkableType => {
  if (tenant.scim.profile === 'standard') return type;
  const check = (body: Data, isPatch: boolean) => checkProfile(tenant, schema, { body, isPatch });
  return {
    ...type,
    create: function* (id, data, isReferred) {
      yield* check(data, false);
      return yield* asChunked(type.create(id, data, isReferred));
    },
    replace: function* (id, data, target) {
      yield* check(data, false);
      return yield* asChunked(type.replace(id, data, target));
    },
    patch: function* (id, data, target) {
      yield* check(data, true);
      return yield* asChunked(type.patch(id, data, target));
    },
  };
};

/** The resource types by endpoint, for a tenant's settings. */
const bulkableTypes = (tenant: BulkTenant): BulkableTypes =>
  new Map(
    [
      strictly(userType(userSchemaOf(tenant)), tenant, userSchemaOf(tenant)),
      strictly(groupType(tenant.scim), tenant, GROUP),
    ].map((type) => [type.endpoint, type]),
  );

/** An operation with its references resolved. */
interface ResolvedOperation {
  readonly given: RequestOperation;
  readonly path: string;
  readonly data: JsonValue | undefined;
  /** The bulkIds that the operation refers to. */
  readonly references: ReadonlySet<string>;
  /** The id of the resource that it creates, if any. */
  readonly createdId: AnyId | undefined;
}

/** An operation with the details that its response needs. */
export interface PreparedOperation {
  readonly given: RequestOperation;
  readonly operation: BulkOperation;
  /** Undefined if the path is not that of a resource type. */
  readonly type: BulkableType | undefined;
  /** The resource that it creates or changes. */
  readonly resourceId: string | undefined;
  /** Whether it creates that resource, so that the client does not have its id yet. */
  readonly isCreation: boolean;
}

export interface PreparedBulk {
  readonly command: RunBulk;
  /** In the order of the request. */
  readonly prepared: readonly PreparedOperation[];
  /** For each operation of the command, its index in the request. */
  readonly requestIndexes: readonly number[];
}

const resolveOperation = function* (
  given: RequestOperation,
  createdId: AnyId | undefined,
  resolve: Resolve,
): Chunked<ResolvedOperation> {
  const path = resolveInPath(given.path, resolve);
  const data = yield* resolveInData(given.data, resolve);
  return {
    given,
    path: path.value,
    data: data.value,
    references: new Set([...path.references, ...data.references]),
    createdId,
  };
};

/** Generates the ids, so that every reference is resolved before any operation runs. */
const resolveOperations = function* ({
  operations,
}: BulkRequest): Chunked<readonly ResolvedOperation[]> {
  const created = operations.map(({ method }) => (method === 'POST' ? newId() : undefined));
  const ids = new Map<string, string>();
  for (const [at, { bulkId }] of operations.entries()) {
    const id = created[at];
    if (bulkId !== undefined && id !== undefined) ids.set(bulkId, id);
  }
  const resolve: Resolve = (bulkId) => ids.get(bulkId);
  const resolved: ResolvedOperation[] = [];
  for (const [at, given] of operations.entries()) {
    resolved.push(yield* resolveOperation(given, created[at], resolve));
    yield;
  }
  return resolved;
};

const unknownReference = (bulkId: string): Refusal =>
  refuse(
    'INVALID_REQUEST',
    `No POST in this request has the bulkId "${bulkId.slice(0, 100)}". This operation was not applied.`,
    { scimType: 'invalidValue' },
  );

const invalidPath = (path: string): Refusal =>
  refuse(
    'INVALID_REQUEST',
    `The path must be /Users, /Groups or the path of a user or group, not ${path.slice(0, 100)}.`,
    { scimType: 'invalidPath' },
  );

const methodNotAllowed = ({ method }: RequestOperation): Refusal =>
  refuse('METHOD_NOT_ALLOWED', `${method.slice(0, 20)} is not allowed on this path.`);

/** RFC 7644, 3.7 has a leading slash, which some clients leave out. */
const PATH = /^\/?([A-Za-z]+)(?:\/([^/?#]+))?\/?$/;

/** The command of an operation, or the refusal of this operation alone. */
const commandOf = (
  { given, data, createdId }: ResolvedOperation,
  type: BulkableType,
  id: string | undefined,
  { isReferred }: Pick<PrepareContext, 'isReferred'>,
) => {
  const { method, ifMatch } = given;
  const target: { readonly ifMatch?: IfMatch } = ifMatch === undefined ? {} : { ifMatch };
  if (id === undefined)
    return method === 'POST' && createdId !== undefined
      ? type.create(createdId, data, isReferred(given.bulkId))
      : { refusal: methodNotAllowed(given) };
  switch (method) {
    case 'PUT':
      return type.replace(id, data, target);
    case 'PATCH':
      return type.patch(id, data, target);
    case 'DELETE':
      return type.remove(id, target);
    default:
      return { refusal: methodNotAllowed(given) };
  }
};

const attempt = function* (work: () => ReturnType<typeof commandOf>): Chunked<BulkOperation> {
  try {
    const command = yield* asChunked(work());
    return 'refusal' in command ? command : { id: newId<CommandId>(), command };
  } catch (error) {
    if (error instanceof RefusalError) return { refusal: error.refusal };
    throw error;
  }
};

/** What the operations of one request share. */
interface PrepareContext {
  readonly types: BulkableTypes;
  /** Whether an operation of the request creates a resource with this bulkId. */
  readonly isKnown: (bulkId: string) => boolean;
  /** Whether an operation of the request refers to this bulkId. */
  readonly isReferred: (bulkId: string | undefined) => boolean;
}

const prepare = function* (
  resolved: ResolvedOperation,
  context: PrepareContext,
): Chunked<PreparedOperation> {
  const { types, isKnown } = context;
  const { given, path, references, createdId } = resolved;
  const [, endpoint = '', id] = PATH.exec(path) ?? [];
  const type = types.get(`/${endpoint}`);
  const unknown = [...references].find((bulkId) => !isKnown(bulkId));
  const isCreation = id === undefined && createdId !== undefined;
  const base = { given, type, resourceId: id ?? createdId, isCreation };
  if (unknown !== undefined) return { ...base, operation: { refusal: unknownReference(unknown) } };
  if (!type || checkExpression(path) !== undefined)
    return { ...base, operation: { refusal: invalidPath(path) } };
  return { ...base, operation: yield* attempt(() => commandOf(resolved, type, id, context)) };
};

const prepareAll = function* (
  resolved: readonly ResolvedOperation[],
  context: PrepareContext,
): Chunked<readonly PreparedOperation[]> {
  const prepared: PreparedOperation[] = [];
  for (const operation of resolved) {
    prepared.push(yield* prepare(operation, context));
    yield;
  }
  return prepared;
};

/**
 * Turns a Bulk request into one command: reads every operation, resolves references, and puts the
 * operations in the order in which they are decided. Yields to the event loop in between.
 */
export const prepareBulk = async (
  request: BulkRequest,
  tenant: BulkTenant,
): Promise<PreparedBulk> => {
  const resolved = await runCooperatively(resolveOperations(request));
  const knownBulkIds = new Set(
    resolved.flatMap(({ given: { bulkId }, createdId }) =>
      bulkId !== undefined && createdId !== undefined ? [bulkId] : [],
    ),
  );
  const referred = new Set<string | undefined>(
    resolved.flatMap(({ references }) => [...references]),
  );
  const prepared = await runCooperatively(
    prepareAll(resolved, {
      types: bulkableTypes(tenant),
      isKnown: (bulkId) => knownBulkIds.has(bulkId),
      isReferred: (bulkId) => referred.has(bulkId),
    }),
  );
  const referring = resolved.map(({ given: { bulkId }, references }) => ({
    ...(bulkId !== undefined && { bulkId }),
    references: [...references],
  }));
  const requestIndexes = bulkOrder(referring);
  const operations = requestIndexes.flatMap((at) => prepared[at]?.operation ?? []);
  return {
    command: { type: 'bulk', operations, failOnErrors: request.failOnErrors },
    prepared,
    requestIndexes,
  };
};
