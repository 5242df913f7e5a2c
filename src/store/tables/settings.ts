import { defineCollection } from './collection.js';

/** What all gateways of a database share. */
export interface SettingDocument {
  /**
   * The secret key's check value, the admin token, and the mark that an operator was created, which
   * stays when all are deleted.
   */
  readonly _id: 'secret-key' | 'admin-token' | 'first-operator';
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
