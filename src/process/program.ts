import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, basename, delimiter, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isFromKubernetes } from '../../config/other-variables.js';

/** The nearest package.json upwards, the same for sources and for dist/. */
const packageFile = (folder: string): string => {
  const file = join(folder, 'package.json');
  return existsSync(file) ? file : packageFile(dirname(folder));
};

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
}

const manifestFile = packageFile(dirname(fileURLToPath(import.meta.url)));
const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest;

/** The folder of the package, with its templates. */
export const PACKAGE_FOLDER = dirname(manifestFile);

/** Rollgate's version, as in package.json. */
export const VERSION = manifest.version;

/** The supported versions of Node.js, as in package.json: `>=20.19 <21 || >=22.12`. */
export const NODE_RANGE = manifest.engines.node;

export interface CommandHintParts {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** The program that this process runs: `process.argv[1]`. */
  readonly program: string | undefined;
  /** The gateway's address, if the settings do not have it: a random port. */
  readonly randomUrl: string | undefined;
}

/** How `rollgate` is called in the folder where this gateway was started, so that it reaches it. */
export const commandHint = (parts: CommandHintParts): string => {
  const { env, randomUrl } = parts;
  const address = {
    ROLLGATE_HOST: env.ROLLGATE_HOST,
    ROLLGATE_PORT: env.ROLLGATE_PORT,
  };
  const variables = Object.entries({
    ROLLGATE_CONFIG: env.ROLLGATE_CONFIG,
    ROLLGATE_DATA_DIR: env.ROLLGATE_DATA_DIR,
    ROLLGATE_ADMIN_TOKEN_FILE: env.ROLLGATE_ADMIN_TOKEN_FILE,
    ...(randomUrl === undefined ? address : { ROLLGATE_URL: randomUrl }),
  }).flatMap(([name, value]) =>
    value === undefined || value === '' || isFromKubernetes(name, value)
      ? []
      : `${name}=${quote(value)}`,
  );
  return [...variables, programHint(parts)].join(' ');
};

/** The text as one word of a shell. */
export const quote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The command without settings, which the caller has already. */
export const programHint = ({
  env,
  cwd,
  program,
}: Pick<CommandHintParts, 'env' | 'cwd' | 'program'>): string => {
  const own = program === undefined ? undefined : findCommand(resolve(cwd, program));
  // With npm, the command is in the project folder, not on the PATH; a clone has one to call.
  if (env.npm_lifecycle_event !== undefined && own !== join(cwd, 'bin', 'rollgate'))
    return 'npx rollgate';
  if (own === undefined || isOnPath(own, env)) return 'rollgate';
  if (own === join(cwd, 'node_modules', '.bin', 'rollgate')) return 'npx rollgate';
  const inside = relative(cwd, own);
  const path = quote(inside.startsWith('..') ? own : inside);
  return basename(own) === 'rollgate' ? path : `node ${path}`;
};

/** The command of this installation, whichever of its programs runs. */
const findCommand = (program: string): string | undefined => {
  const folder = dirname(program);
  const names = ['rollgate', 'rollgate.js'];
  const places = ['.', '../bin', '../../bin'].flatMap((path) =>
    names.map((name) => join(folder, path, name)),
  );
  const isItself = /^rollgate(\.js)?$/.test(basename(program));
  return (isItself ? [program] : places).find((path) => existsSync(path));
};

const isOnPath = (command: string, { PATH = '' }: NodeJS.ProcessEnv): boolean => {
  const own = realpathSync(command);
  return PATH.split(delimiter)
    .map((folder) => join(folder, 'rollgate'))
    .some((path) => existsSync(path) && realpathSync(path) === own);
};
