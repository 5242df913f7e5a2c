import { defineCollection } from './collection.js';

/** What all gateways of a database share: the secret key's check value, and the admin token. */
export interface SettingDocument {
  readonly _id: 'secret-key' | 'admin-token';
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
