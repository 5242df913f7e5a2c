import { readVersion } from '../../store/inspect/read-server.js';
import { type Check, fail, ok } from '../check-result.js';

/** The MongoDB version is supported. */
export const checkDatabaseVersion: Check = async ({ database }) => {
  const { version, isSupported, oldest } = await readVersion(await database());
  if (isSupported) return ok(`MongoDB ${version}.`, { version });
  return fail(
    `MongoDB ${version} is not supported.`,
    `Rollgate needs ${oldest} or newer. Upgrade one release at a time.`,
    { version },
  );
};
