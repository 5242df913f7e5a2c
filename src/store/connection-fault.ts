import * as mongo from 'mongodb';
import { reasonOf } from './connection-string.js';

/** The driver found no suitable server. */
const isSelectionError = (cause: unknown): cause is mongo.MongoServerSelectionError =>
  cause instanceof mongo.MongoServerSelectionError;

/** The driver drops servers of another replica set, or of none, so that none is left. */
export const isOtherReplicaSet = (cause: unknown): boolean =>
  isSelectionError(cause) && serverTypes(cause)?.length === 0;

/** Why a database cannot be used, to follow its address; contains no secrets. */
export const describeFault = (cause: unknown): string => {
  if (!isSelectionError(cause)) return `cannot be used: ${reasonOf(cause)}.`;
  if (isOtherReplicaSet(cause))
    return 'is not a member of the replica set in the connection string.';
  // Started with --replSet but not initiated: it responds, but serves no client.
  if (serverTypes(cause)?.includes('RSGhost') === true)
    return 'is a member of a replica set that was never initiated: run rs.initiate() in mongosh.';
  return `does not respond: ${cause.message.replace(/\.$/, '')}.`;
};

/** The type of each server, as the driver last saw it. */
const serverTypes = (cause: mongo.MongoServerSelectionError): string[] | undefined => {
  const { reason } = cause as { readonly reason?: unknown };
  const { servers } = (reason ?? {}) as {
    readonly servers?: ReadonlyMap<string, { readonly type: string }>;
  };
  return servers && [...servers.values()].map(({ type }) => type);
};
