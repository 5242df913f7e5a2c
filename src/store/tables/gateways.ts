import type * as mongo from 'mongodb';
import { defineCollection, EXPIRES } from './collection.js';

/** A running gateway. */
export interface InstanceDocument {
  readonly _id: string;
  /** Of its machine. Absent from gateways of earlier versions, as is `version`. */
  readonly host?: string;
  readonly version?: string;
  readonly startedAt: Date;
  /** The database's time, so that no gateway's clock makes another look dead. */
  readonly heartbeatAt: Date;
  /** How many gateways have joined since this one: a change means that it is not alone. */
  readonly joined?: number;
  /** Ids of the sessions that may have a transaction open. */
  readonly sessions: readonly mongo.Binary[];
}

export const instances = defineCollection<InstanceDocument>({
  name: 'instances',
  fields: {
    _id: String,
    host: String,
    version: String,
    startedAt: Date,
    heartbeatAt: Date,
    joined: Number,
    sessions: [Buffer],
  },
  indexes: [],
  purge: 'never',
});

/** A lease; it stays when released, so that its token never repeats. */
export interface LeaseDocument {
  readonly _id: string;
  /** The instance that holds it or held it last. */
  readonly owner: string | null;
  readonly token: number;
  readonly takenAt: Date;
  /** When it can be taken: the end of the lease, or the end of the pause after it. */
  readonly freeAt: Date;
  /** Written by fenced writes, so that they conflict with another instance that takes the lease. */
  readonly usedAt?: Date;
  /** Unused for so long that no instance has a token of it any more. */
  readonly expireAt: Date;
}

export const leases = defineCollection<LeaseDocument>({
  name: 'leases',
  fields: {
    _id: String,
    owner: String,
    token: Number,
    takenAt: Date,
    freeAt: Date,
    usedAt: Date,
    expireAt: Date,
  },
  indexes: [{ key: { expireAt: 1 }, expireAfterSeconds: 0 }],
  purge: 'never',
});

/** How many requests of a key's window have been granted to instances, used or not. */
export interface RateWindowDocument {
  /** `{key}:{window}` */
  readonly _id: string;
  readonly granted: number;
  readonly expireAt: Date;
}

export const rateWindows = defineCollection<RateWindowDocument>({
  name: 'rate_windows',
  fields: { _id: String, granted: Number, expireAt: Date },
  indexes: [EXPIRES],
  purge: 'never',
});

/** What all gateways of a database share. */
export interface SettingDocument {
  /**
   * The secret key's check value, the admin token, the mark that an operator was created, which stays
   * when all are deleted, and that all names are folded as this version does.
   */
  readonly _id: 'secret-key' | 'admin-token' | 'first-operator' | 'folded-names';
  /** A known text, encrypted with the secret key. */
  readonly sealed?: string;
  /** Of the admin token. */
  readonly hash?: string;
  readonly setAt?: Date;
  /** Hashes of tokens that a rotation replaced: they may have leaked and never become valid again. */
  readonly retired?: readonly string[];
}

export const settings = defineCollection<SettingDocument>({
  name: 'settings',
  fields: { _id: String, sealed: String, hash: String, setAt: Date, retired: [String] },
  indexes: [],
  purge: 'never',
});
