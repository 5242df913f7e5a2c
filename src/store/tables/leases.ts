import { defineCollection } from './collection.js';

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
