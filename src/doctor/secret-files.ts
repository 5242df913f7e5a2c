import { ADMIN_TOKEN_FILE, SECRET_KEY_FILE, SETUP_LINK_FILE } from '../secrets/local-secrets.js';
import { MONGOD_KEY_FILE } from '../store/embedded/mongod-settings.js';

/** Files in the data folder that only their owner may read. */
export const SECRET_FILES = [
  ADMIN_TOKEN_FILE,
  SECRET_KEY_FILE,
  SETUP_LINK_FILE,
  MONGOD_KEY_FILE,
] as const;

/** The permission bits of group and others. */
export const OTHERS_MASK = 0o077;

/** `644` */
export const modeText = (mode: number): string => (mode & 0o777).toString(8);
