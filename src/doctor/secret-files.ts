import { ADMIN_TOKEN_FILE, SECRET_KEY_FILE } from '../local-secrets.js';
import { MONGOD_KEY_FILE } from '../store/embedded/mongod-key.js';

/** What the data folder keeps for its owner alone. */
export const SECRET_FILES = [ADMIN_TOKEN_FILE, SECRET_KEY_FILE, MONGOD_KEY_FILE] as const;

/** The bits of a mode that let others in. */
export const FOR_OTHERS = 0o077;

/** `644` */
export const modeText = (mode: number): string => (mode & 0o777).toString(8);
