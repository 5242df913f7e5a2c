import type { BulkOperation, RunBulk } from '../../domain/commands.js';
import type { IfMatch } from '../../domain/precondition.js';
import type { AnyId, CommandId } from '../../domain/ids.js';
import { inPieces, type Pieces } from '../../domain/in-pieces.js';
import type { JsonValue } from '../../domain/json.js';
import { type Refusal, refuse, RefusalError } from '../../domain/refusals.js';
import type { ScimSettings } from '../../domain/tenant.js';
import { inTurns } from '../../pipeline/in-turns.js';
import { newId } from '../../pipeline/new-id.js';
import { screenExpression } from '../screen.js';
import { bulkOrder } from './bulk-order.js';
import { type Resolve, resolveInData, resolveInPath } from './bulk-references.js';
import { type BulkableType, bulkableTypes, type BulkableTypes } from './bulkable-types.js';
import type { BulkRequest, GivenOperation } from './read-bulk.js';

/** An operation whose references stand for ids. */
interface Placed {
  readonly given: GivenOperation;
  readonly path: string;
  readonly data: JsonValue | undefined;
  /** What it refers to. */
  readonly named: ReadonlySet<string>;
  /** The id of what it makes; undefined where it makes nothing. */
  readonly createdId: AnyId | undefined;
}

/** An operation with what it is about, for the answer. */
export interface Prepared {
  readonly given: GivenOperation;
  readonly operation: BulkOperation;
  /** Undefined where its path names no type of resource. */
  readonly type: BulkableType | undefined;
  /** The resource that it makes or is about. */
  readonly resourceId: string | undefined;
  /** Whether it is to make that resource: until then nobody knows its id. */
  readonly isCreation: boolean;
}

export interface PreparedBulk {
  readonly command: RunBulk;
  /** In the order of the request. */
  readonly prepared: readonly Prepared[];
  /** For each operation of the command: its place in the request. */
  readonly places: readonly number[];
}

const place = function* (
  given: GivenOperation,
  createdId: AnyId | undefined,
  resolve: Resolve,
): Pieces<Placed> {
  const path = resolveInPath(given.path, resolve);
  const data = yield* resolveInData(given.data, resolve);
  return {
    given,
    path: path.value,
    data: data.value,
    named: new Set([...path.named, ...data.named]),
    createdId,
  };
};

/** Ids are made at the edge, so every bulkId stands for one before anything runs. */
const placeAll = function* ({ operations }: BulkRequest): Pieces<readonly Placed[]> {
  const created = operations.map(({ method }) => (method === 'POST' ? newId() : undefined));
  const ids = new Map<string, string>();
  for (const [at, { bulkId }] of operations.entries()) {
    const id = created[at];
    if (bulkId !== undefined && id !== undefined) ids.set(bulkId, id);
  }
  const resolve: Resolve = (bulkId) => ids.get(bulkId);
  const placed: Placed[] = [];
  for (const [at, given] of operations.entries()) {
    placed.push(yield* place(given, created[at], resolve));
    yield;
  }
  return placed;
};

const unknownReference = (bulkId: string): Refusal =>
  refuse(
    'INVALID_REQUEST',
    `No POST of this request has the bulkId "${bulkId.slice(0, 100)}". Nothing of this operation was done.`,
    { scimType: 'invalidValue' },
  );

const noSuchPath = (path: string): Refusal =>
  refuse(
    'INVALID_REQUEST',
    `An operation is on /Users, /Groups or one resource of these; not on ${path.slice(0, 100)}.`,
    { scimType: 'invalidPath' },
  );

const notHere = ({ method }: GivenOperation): Refusal =>
  refuse('METHOD_NOT_ALLOWED', `${method.slice(0, 20)} cannot be done at this path.`);

const PATH = /^(\/[A-Za-z]+)(?:\/([^/?#]+))?\/?$/;

/** What an operation comes to; every fault is told as a refusal of this operation alone. */
const commandOf = (
  { given, data, createdId }: Placed,
  type: BulkableType,
  id: string | undefined,
) => {
  const { method, ifMatch } = given;
  const target: { readonly ifMatch?: IfMatch } = ifMatch === undefined ? {} : { ifMatch };
  if (id === undefined)
    return method === 'POST' && createdId !== undefined
      ? type.create(createdId, data)
      : { refusal: notHere(given) };
  switch (method) {
    case 'PUT':
      return type.replace(id, data, target);
    case 'PATCH':
      return type.patch(id, data, target);
    case 'DELETE':
      return type.remove(id, target);
    default:
      return { refusal: notHere(given) };
  }
};

const attempt = function* (work: () => ReturnType<typeof commandOf>): Pieces<BulkOperation> {
  try {
    const made = yield* inPieces(work());
    return 'refusal' in made ? made : { id: newId<CommandId>(), command: made };
  } catch (error) {
    if (error instanceof RefusalError) return { refusal: error.refusal };
    throw error;
  }
};

/** What the operations of one request have in common. */
interface Preparing {
  readonly types: BulkableTypes;
  /** Whether an operation of the request makes something by this bulkId. */
  readonly isKnown: (bulkId: string) => boolean;
}

const prepare = function* (placed: Placed, { types, isKnown }: Preparing): Pieces<Prepared> {
  const { given, path, named, createdId } = placed;
  const [, endpoint = '', id] = PATH.exec(path) ?? [];
  const type = types.get(endpoint);
  const unknown = [...named].find((bulkId) => !isKnown(bulkId));
  const isCreation = id === undefined && createdId !== undefined;
  const about = { given, type, resourceId: id ?? createdId, isCreation };
  if (unknown !== undefined) return { ...about, operation: { refusal: unknownReference(unknown) } };
  if (!type || screenExpression(path) !== undefined)
    return { ...about, operation: { refusal: noSuchPath(path) } };
  return { ...about, operation: yield* attempt(() => commandOf(placed, type, id)) };
};

const prepareAll = function* (
  placed: readonly Placed[],
  preparing: Preparing,
): Pieces<readonly Prepared[]> {
  const prepared: Prepared[] = [];
  for (const one of placed) {
    prepared.push(yield* prepare(one, preparing));
    yield;
  }
  return prepared;
};

/**
 * Makes one command of a Bulk request: every operation read, its references resolved, in the order
 * in which they are decided. The event loop is given back meanwhile, for a thousand are long.
 */
export const prepareBulk = async (
  request: BulkRequest,
  scim: ScimSettings,
): Promise<PreparedBulk> => {
  const placed = await inTurns(placeAll(request));
  const makers = new Set(
    placed.flatMap(({ given: { bulkId }, createdId }) =>
      bulkId !== undefined && createdId !== undefined ? [bulkId] : [],
    ),
  );
  const prepared = await inTurns(
    prepareAll(placed, {
      types: bulkableTypes(scim),
      isKnown: (bulkId) => makers.has(bulkId),
    }),
  );
  const referring = placed.map(({ given: { bulkId }, named }) => ({
    ...(bulkId !== undefined && { bulkId }),
    named: [...named],
  }));
  const places = bulkOrder(referring);
  const operations = places.flatMap((at) => prepared[at]?.operation ?? []);
  return {
    command: { type: 'bulk', operations, failOnErrors: request.failOnErrors },
    prepared,
    places,
  };
};
