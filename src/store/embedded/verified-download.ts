import type { RequestOptions } from 'node:https';
import { join } from 'node:path';
import type { MongoBinaryOpts } from 'mongodb-memory-server-core/lib/util/MongoBinary.js';
import { MongoBinaryDownload } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownload.js';
import { getOS } from 'mongodb-memory-server-core/lib/util/getos/index.js';

/** One retry, soon: there is another source. */
const ATTEMPTS = 2;
const RETRY_MS = 250;
/** Without any data. */
const TIMEOUT_MS = 20_000;

/**
 * The library accepts any certificate unless npm_config_strict_ssl happens to be set, and an MD5
 * from the same connection proves nothing then. Its progress bar goes to standard output, which has
 * our log.
 */
export class VerifiedDownload extends MongoBinaryDownload {
  override httpDownload(
    url: URL,
    options: RequestOptions,
    location: string,
    temporary: string,
  ): Promise<string> {
    const verified = { ...options, rejectUnauthorized: true };
    const retries = [ATTEMPTS, RETRY_MS, TIMEOUT_MS] as const;
    return super.httpDownload(url, verified, location, temporary, ...retries);
  }

  /**
   * Progress is logged once, before the download. The library uses this count to check that the
   * file is complete.
   */
  override printDownloadProgress(chunk: { length: number }): void {
    this.dlProgress.current += chunk.length;
  }
}

/** What to download for this machine; its archive must match the published checksum. */
export const downloadOptions = async (
  version: string,
  downloadDir: string,
): Promise<MongoBinaryOpts> => ({ version, downloadDir, checkMD5: true, os: await getOS() });

/** Extracts the mongod from an archive into a folder; resolves with its path. */
export const unzipMongod = async (
  archive: string,
  entry: string,
  folder: string,
): Promise<string> => {
  const library = new VerifiedDownload(await downloadOptions('', folder));
  const path = join(folder, 'mongod');
  await library.extractZip(archive, path, (name) => name === entry);
  return path;
};
