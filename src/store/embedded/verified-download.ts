import type { RequestOptions } from 'node:https';
import type { MongoBinaryOpts } from 'mongodb-memory-server-core/lib/util/MongoBinary.js';
import { MongoBinaryDownload } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownload.js';
import { getOS } from 'mongodb-memory-server-core/lib/util/getos/index.js';

/** One more try, soon: there is another source to turn to. */
const ATTEMPTS = 2;
const RETRY_MS = 250;
/** Of silence. */
const TIMEOUT_MS = 20_000;

/**
 * The library accepts any certificate unless npm_config_strict_ssl happens to be set, and an MD5
 * from the same connection then proves nothing. Its progress bar goes to standard output, where
 * our log is.
 */
export class VerifiedDownload extends MongoBinaryDownload {
  override httpDownload(
    url: URL,
    options: RequestOptions,
    location: string,
    temporary: string,
  ): Promise<string> {
    const verified = { ...options, rejectUnauthorized: true };
    const patience = [ATTEMPTS, RETRY_MS, TIMEOUT_MS] as const;
    return super.httpDownload(url, verified, location, temporary, ...patience);
  }

  /** Told once, before. The library decides by this count whether the file is whole. */
  override printDownloadProgress(chunk: { length: number }): void {
    this.dlProgress.current += chunk.length;
  }
}

/** What to download, for this machine; its archive must have the checksum that stands beside it. */
export const downloadOptions = async (
  version: string,
  downloadDir: string,
): Promise<MongoBinaryOpts> => ({ version, downloadDir, checkMD5: true, os: await getOS() });
