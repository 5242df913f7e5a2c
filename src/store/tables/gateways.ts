import type * as mongo from 'mongodb';
import { defineCollection, type DocumentOf, EXPIRES } from './collection.js';
import { nullable, optional, typed } from './fields.js';

/** The running gateways. */
export const instances = defineCollection({
  name: 'instances',
  fields: {
    _id: String,
    /** Of its machine. Absent from gateways of version 0.1.0, as are `version` and `joined`. */
    host: optional(String),
    version: optional(String),
    startedAt: Date,
    /** The database's time, so that no gateway's clock makes another look dead. */
    heartbeatAt: Date,
    /** How many gateways have joined since this one: a change means that it is not alone. */
    joined: optional(Number),
    /** Ids of the sessions that may have a transaction open. */
    sessions: typed<readonly mongo.Binary[]>([Buffer]),
  },
});

export type InstanceDocument = DocumentOf<typeof instances>;

/** Leases; each stays when released, so that its token never repeats. */
export const leases = defineCollection({
  name: 'leases',
  fields: {
    _id: String,
    /** The instance that holds it or held it last. */
    owner: nullable(String),
    token: Number,
    takenAt: Date,
    /** When it can be taken: the end of the lease, or the end of the pause after it. */
    freeAt: Date,
    /** Written by fenced writes, so that they conflict with another instance that takes the lease. */
    usedAt: optional(Date),
    /** Unused for so long that no instance has a token of it any more. */
    expireAt: Date,
  },
  indexes: [EXPIRES],
});

/** How many requests of a key's window have been granted to instances, used or not. */
export const rateWindows = defineCollection({
  name: 'rate_windows',
  fields: {
    /** `{key}:{window}` */
    _id: String,
    granted: Number,
    expireAt: Date,
  },
  indexes: [EXPIRES],
});

/** What all gateways of a database share. */
export const settings = defineCollection({
  name: 'settings',
  fields: {
    /**
     * The secret key's check value, the admin token, the mark that an operator was created, which
     * stays when all are deleted, and that all names are folded as this version does.
     */
    _id: typed<'secret-key' | 'admin-token' | 'first-operator' | 'folded-names'>(String),
    /** A known text, encrypted with the secret key. */
    sealed: optional(String),
    /** Of the admin token. */
    hash: optional(String),
    setAt: optional(Date),
    /** Hashes of tokens that a rotation replaced: they may have leaked and never become valid again. */
    retired: optional([String]),
  },
});
