import { execFile } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Cleanup } from '../../../tools/shared/cleanup.js';
import { installOnce, reasonOf } from '../program-cache.js';
import {
  giveToServer,
  LOOPBACK,
  serverFolder,
  type ServerProcess,
  startServer,
  writeServerFile,
} from './server-process.js';

const run = promisify(execFile);

const PACKAGES = ['trytond==7.0.*', 'trytond_company==7.0.*', 'trytond_party==7.0.*', 'passlib'];
const DATABASE = 'hr';
const TIME_LIMIT_MS = 110_000;

export const TRYTON_ADMIN = { user: 'admin', password: 'adminpw1!' };

/** The folder with Tryton and a database that has its modules. */
interface TrytonSoftware {
  readonly folder: string;
}

export interface TrytonServer extends ServerProcess {
  readonly url: string;
  readonly database: string;
  /** Calls a method of its JSON-RPC interface as the administrator. */
  readonly call: (method: string, ...params: readonly unknown[]) => Promise<unknown>;
}

/**
 * Tryton 7.0 from PyPI, in a cache of this user. Undefined, with a line on stderr, where Python or PyPI
 * is missing.
 */
export const findTryton = async (): Promise<TrytonSoftware | undefined> => {
  try {
    return { folder: await install() };
  } catch (error) {
    process.stderr.write(`Skipped: cannot get Tryton from PyPI: ${reasonOf(error)}\n`);
    return undefined;
  }
};

const install = (): Promise<string> =>
  installOnce('tryton-7.0', async (draft) => {
    await run('python3', ['-m', 'venv', join(draft, 'python')], { timeout: TIME_LIMIT_MS });
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES];
    await run(pythonOf(draft), pip, { timeout: TIME_LIMIT_MS });
    await createDatabase(draft);
    await run('chmod', ['-R', 'go+rX', draft]);
  });

const pythonOf = (folder: string): string => join(folder, 'python/bin/python');

/** A program of the packages. Its first line names the folder that it was installed into: not used. */
const programOf = (folder: string, name: string): string => join(folder, 'python/bin', name);

/** Creating a database takes 20 s: each server starts with a copy of this one. */
const createDatabase = async (folder: string): Promise<void> => {
  const data = join(folder, 'data');
  await mkdir(data);
  // It must exist, and be empty.
  await writeFile(join(data, `${DATABASE}.sqlite`), '');
  const config = join(folder, 'trytond.conf');
  await writeFile(config, configOf(data, 0));
  const password = join(folder, 'password');
  await writeFile(password, TRYTON_ADMIN.password);
  const admin = programOf(folder, 'trytond-admin');
  const modules = ['-u', 'company', '--activate-dependencies', '--email', 'admin@example.com'];
  await run(pythonOf(folder), [admin, '-c', config, '-d', DATABASE, ...modules], {
    env: { PATH: process.env.PATH, TRYTONPASSFILE: password },
    timeout: TIME_LIMIT_MS,
  });
};

const configOf = (data: string, port: number): string =>
  `[database]\nuri = sqlite://\npath = ${data}\n[web]\nlisten = ${LOOPBACK}:${port}\n`;

/** Starts Tryton with a database of its own. */
export const startTrytonServer = async (
  { folder: software }: TrytonSoftware,
  cleanup: Cleanup,
): Promise<TrytonServer> => {
  const folder = await serverFolder('tryton', cleanup);
  const data = join(folder, 'data');
  await mkdir(data);
  await giveToServer(data);
  const file = join(data, `${DATABASE}.sqlite`);
  await cp(join(software, 'data', `${DATABASE}.sqlite`), file);
  await giveToServer(file, 0o600);
  const server = await startServer(async (port) => {
    const config = await writeServerFile(folder, 'trytond.conf', configOf(data, port));
    const command = pythonOf(software);
    const args = [programOf(software, 'trytond'), '-c', config, '-d', DATABASE];
    return { command, args, env: { PYTHONDONTWRITEBYTECODE: '1', HOME: folder } };
  }, cleanup);
  const url = `http://${LOOPBACK}:${server.port}`;
  return { ...server, url, database: DATABASE, call: callerOf(`${url}/${DATABASE}/`) };
};

/** Signs in, and again when the session has ended. */
const callerOf = (url: string): TrytonServer['call'] => {
  let session: string | undefined;
  const signIn = async (): Promise<string> => {
    const { user, password } = TRYTON_ADMIN;
    const response = await post(url, 'common.db.login', [user, { password }]);
    const [id, key] = (await resultOf(response)) as [number, string];
    return Buffer.from(`${user}:${id}:${key}`).toString('base64');
  };
  return async (method, ...params) => {
    session ??= await signIn();
    let response = await post(url, method, params, session);
    if (response.status === 401) {
      session = await signIn();
      response = await post(url, method, params, session);
    }
    return resultOf(response);
  };
};

const post = (
  url: string,
  method: string,
  params: readonly unknown[],
  session?: string,
): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(session !== undefined && { authorization: `Session ${session}` }),
    },
    body: JSON.stringify({ id: 1, method, params }),
  });

const resultOf = async (response: Response): Promise<unknown> => {
  const { result, error } = (await response.json()) as { result?: unknown; error?: unknown };
  if (error !== undefined) throw new Error(`Tryton refused: ${JSON.stringify(error)}`);
  return result;
};
