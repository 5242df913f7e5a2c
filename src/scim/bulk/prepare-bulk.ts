import type { BulkableCommand, BulkOperation, RunBulk } from '../../domain/commands.js';
import { raise, type Refusal, RefusalError, refuse } from '../../domain/kernel/refusals.js';
import type { AnyId, CommandId } from '../../domain/kernel/ids.js';
import type { Chunked } from '../../domain/kernel/chunked.js';
import type { JsonValue } from '../../domain/kernel/json.js';
import { newId } from '../../pipeline/submit.js';
import { runCooperatively } from '../../pipeline/loop-scheduler.js';
import { checkExpression } from '../check-input.js';
import {
  type CommandTenant,
  GROUP_COMMANDS,
  type ResourceCommands,
  USER_COMMANDS,
} from '../resource-commands.js';
import { bulkOrder, type Resolve, resolveInData, resolveInPath } from './bulk-references.js';
import type { BulkRequest, RequestOperation } from './read-bulk.js';

const TYPES: ReadonlyMap<string, ResourceCommands> = new Map(
  [USER_COMMANDS, GROUP_COMMANDS].map((type) => [type.endpoint, type]),
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
  readonly type: ResourceCommands | undefined;
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

/** RFC 7644, 3.7 has a leading slash, which some clients leave out. */
const PATH = /^\/?([A-Za-z]+)(?:\/([^/?#]+))?\/?$/;

/** The command of an operation. Throws RefusalError. */
const commandOf = function* (
  { given, data, createdId }: ResolvedOperation,
  type: ResourceCommands,
  resourceId: string | undefined,
  { tenant, isReferred }: Pick<PrepareContext, 'tenant' | 'isReferred'>,
): Chunked<BulkableCommand> {
  const { method, ifMatch, bulkId } = given;
  if (resourceId === undefined) {
    if (createdId !== undefined)
      return yield* type.create(tenant, createdId, data, isReferred(bulkId));
  } else {
    const target = { resourceId, body: data, ...(ifMatch !== undefined && { ifMatch }) };
    if (method === 'PUT') return yield* type.replace(tenant, target);
    if (method === 'PATCH') return yield* type.patch(tenant, target);
    if (method === 'DELETE') return type.remove(target);
  }
  return raise('METHOD_NOT_ALLOWED', `${method.slice(0, 20)} is not allowed on this path.`);
};

/** The operation, or the refusal of this operation alone. */
const attempt = function* (reading: Chunked<BulkableCommand>): Chunked<BulkOperation> {
  try {
    return { id: newId<CommandId>(), command: yield* reading };
  } catch (error) {
    if (error instanceof RefusalError) return { refusal: error.refusal };
    throw error;
  }
};

/** What the operations of one request share. */
interface PrepareContext {
  readonly tenant: CommandTenant;
  /** Whether an operation of the request creates a resource with this bulkId. */
  readonly isKnown: (bulkId: string) => boolean;
  /** Whether an operation of the request refers to this bulkId. */
  readonly isReferred: (bulkId: string | undefined) => boolean;
}

const prepare = function* (
  resolved: ResolvedOperation,
  context: PrepareContext,
): Chunked<PreparedOperation> {
  const { isKnown } = context;
  const { given, path, references, createdId } = resolved;
  const [, endpoint = '', id] = PATH.exec(path) ?? [];
  const type = TYPES.get(`/${endpoint}`);
  const unknown = [...references].find((bulkId) => !isKnown(bulkId));
  const isCreation = id === undefined && createdId !== undefined;
  const base = { given, type, resourceId: id ?? createdId, isCreation };
  if (unknown !== undefined) return { ...base, operation: { refusal: unknownReference(unknown) } };
  if (!type || checkExpression(path) !== undefined)
    return { ...base, operation: { refusal: invalidPath(path) } };
  return { ...base, operation: yield* attempt(commandOf(resolved, type, id, context)) };
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
  tenant: CommandTenant,
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
      tenant,
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
