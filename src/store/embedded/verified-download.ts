import type { RequestOptions } from 'node:https';
import { MongoBinaryDownload } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownload.js';

/**
 * The library accepts any certificate unless npm_config_strict_ssl happens to be set, and an MD5
 * from the same connection then proves nothing. Its progress bar goes to standard output, where
 * our log is.
 */
export class VerifiedDownload extends MongoBinaryDownload {
  override httpDownload(
    url: URL,
    options: RequestOptions,
    ...rest: [location: string, temporary: string]
  ): Promise<string> {
    return super.httpDownload(url, { ...options, rejectUnauthorized: true }, ...rest);
  }

  override printDownloadProgress(): void {
    // Told once, before.
  }
}
