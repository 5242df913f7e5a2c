import mongoose, { mongo } from 'mongoose';
import { reasonOf } from './connection-string.js';

/** The driver found no server that would do: be it none there, or none of the right sort. */
type SelectionError =
  | mongo.MongoServerSelectionError
  | InstanceType<typeof mongoose.Error.MongooseServerSelectionError>;

const isSelectionError = (cause: unknown): cause is SelectionError =>
  cause instanceof mongo.MongoServerSelectionError ||
  cause instanceof mongoose.Error.MongooseServerSelectionError;

/** The driver forgets servers that are of another set, or of none: then none is left. */
export const isOtherReplicaSet = (cause: unknown): boolean =>
  isSelectionError(cause) && serverTypes(cause)?.length === 0;

/** Why a database cannot be used, in words that follow its address; without secrets. */
export const describeFault = (cause: unknown): string => {
  if (!isSelectionError(cause)) return `cannot be used: ${reasonOf(cause)}.`;
  if (isOtherReplicaSet(cause))
    return 'answers, but is not of the replica set that the connection string names.';
  // Started with --replSet, and then forgotten: such a server answers, but serves no client.
  if (serverTypes(cause)?.includes('RSGhost') === true)
    return 'is of a replica set that was never initiated: rs.initiate() in mongosh.';
  return `does not answer: ${cause.message.replace(/\.$/, '')}.`;
};

/** What the driver has found out about each server, by the time it gave up. */
const serverTypes = (cause: SelectionError): string[] | undefined => {
  const { reason } = cause as { readonly reason?: unknown };
  const { servers } = (reason ?? {}) as {
    readonly servers?: ReadonlyMap<string, { readonly type: string }>;
  };
  return servers && [...servers.values()].map(({ type }) => type);
};
