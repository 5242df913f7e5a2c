import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where downloads are kept between starts, for all data folders of a user. */
export const cacheFolder = (env: NodeJS.ProcessEnv): string => {
  if (env.ROLLGATE_CACHE_DIR) return env.ROLLGATE_CACHE_DIR;
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'rollgate');
};
