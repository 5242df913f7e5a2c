import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where what was fetched is kept between starts and shared by all data folders of a user. */
export const cacheFolder = (env: NodeJS.ProcessEnv): string => {
  if (env.ROLLGATE_CACHE_DIR) return env.ROLLGATE_CACHE_DIR;
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'rollgate');
};
