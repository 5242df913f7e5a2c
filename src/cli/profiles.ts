import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { CliContext } from './cli-context.js';
import { CliError, codeOf, usageError } from './cli-error.js';

const Profile = z.strictObject({
  url: z.string(),
  credential: z.enum(['admin token', 'API key']),
  token: z.string(),
  ca_file: z.string().optional(),
});

/** A server and its credential, as `rollgate login` stores them. */
export type Profile = z.output<typeof Profile>;

const Profiles = z.strictObject({
  /** The profile of the last login; null: the gateway of this folder. */
  current: z.string().nullable(),
  profiles: z.record(z.string(), Profile),
});
export type Profiles = z.output<typeof Profiles>;

/** The name for no profile: the gateway that is configured in this folder. */
export const LOCAL = 'local';

/** Variables that name another server or credential than the current profile. */
const OTHERS = [
  'ROLLGATE_URL',
  'ROLLGATE_ADMIN_TOKEN',
  'ROLLGATE_ADMIN_TOKEN_FILE',
  'ROLLGATE_API_KEY',
] as const;

/** In the user's folder for configuration (XDG Base Directory Specification); undefined: no home. */
export const profilesFile = ({ env }: Pick<CliContext, 'env'>): string | undefined => {
  const home = env.HOME ?? env.USERPROFILE;
  const folder =
    env.XDG_CONFIG_HOME || env.APPDATA || (home === undefined ? '' : join(home, '.config'));
  return folder === '' ? undefined : join(folder, 'rollgate', 'profiles.json');
};

export const readProfiles = (context: Pick<CliContext, 'env'>): Profiles => {
  const path = profilesFile(context);
  if (path === undefined) return { current: null, profiles: {} };
  try {
    return Profiles.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { current: null, profiles: {} };
    throw new CliError('FAILED', `Cannot read the profiles in ${path}.`, [
      error instanceof z.ZodError || error instanceof SyntaxError
        ? 'It is not a file of "rollgate login". Delete it, and log in again.'
        : codeOf(error),
    ]);
  }
};

/** It contains credentials: for its owner only, and never half written. */
export const writeProfiles = (context: Pick<CliContext, 'env'>, profiles: Profiles): string => {
  const path =
    profilesFile(context) ?? usageError('No home folder. Set XDG_CONFIG_HOME to a folder.');
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.new`, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
    chmodSync(`${path}.new`, 0o600);
    renameSync(`${path}.new`, path);
    return path;
  } catch (error) {
    throw new CliError('FAILED', `Cannot write ${path} (${codeOf(error)}).`);
  }
};

export interface ProfileOptions {
  readonly url?: string | undefined;
  readonly profile?: string | undefined;
}

/** The profile to use; undefined: options, the environment or the configuration say where to go. */
export const findProfile = (
  { url, profile }: ProfileOptions,
  context: Pick<CliContext, 'env'>,
): (Profile & { readonly name: string }) | undefined => {
  const { env } = context;
  if (url !== undefined)
    return profile === undefined ? undefined : usageError('Pass either --url or --profile.');
  const named = profile ?? (env.ROLLGATE_PROFILE || undefined);
  if (named === LOCAL) return undefined;
  if (named === undefined && OTHERS.some((name) => env[name])) return undefined;
  const { current, profiles } = readProfiles(context);
  const name = named ?? current;
  if (name === null) return undefined;
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (found) return { ...found, name };
  return usageError(
    `Unknown profile "${name}".`,
    `Create it: rollgate login <url> --profile ${name}`,
    'List all: rollgate profile list',
  );
};
