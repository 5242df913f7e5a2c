import { readVersion } from '../../store/inspect/read-server.js';
import { type Check, fail, ok } from '../verdict.js';

/** The database's server is new enough. */
export const checkDatabaseVersion: Check = async ({ database }) => {
  const { version, isSupported, oldest } = await readVersion(await database());
  if (isSupported) return ok(`MongoDB ${version}.`, { version });
  return fail(
    `MongoDB ${version} is too old.`,
    `Rollgate needs ${oldest} or newer: upgrade it, by one release at a time.`,
    { version },
  );
};
