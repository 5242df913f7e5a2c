import { constants, createUnzip } from 'node:zlib';

/** Not accepted by any request; some servers use it all the same. */
const COMPRESSED = /^\s*(x-)?(gzip|deflate)\s*$/i;

interface Extent {
  /** How many bytes are decoded at most. */
  readonly limit: number;
  /** Whether the bytes are only the beginning. */
  readonly isCut: boolean;
}

/** The text of a response body: decompressed up to the limit, in the charset that it is in. */
export const decodeBody = async (
  bytes: Buffer,
  headers: Readonly<Record<string, string>>,
  { limit, isCut }: Extent,
): Promise<string> => {
  if (!COMPRESSED.test(headers['content-encoding'] ?? '')) return textOf(bytes, headers, isCut);
  const plain = await decompress(bytes, limit);
  return textOf(plain.subarray(0, limit), headers, isCut || plain.length > limit);
};

/** Stops beyond the limit: a kilobyte may stand for a megabyte. What cannot be read ends it. */
const decompress = async (bytes: Buffer, limit: number): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  // Tolerates the end of the input: it may be cut.
  const stream = createUnzip({ finishFlush: constants.Z_SYNC_FLUSH });
  stream.end(bytes);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > limit) break;
    }
  } catch {
    if (size === 0) return bytes;
  }
  return Buffer.concat(chunks);
};

/** In the declared charset; without one in UTF-8, or in Latin-1 if it is not UTF-8. */
const textOf = (
  bytes: Buffer,
  { 'content-type': contentType = '' }: Readonly<Record<string, string>>,
  isCut: boolean,
): string => {
  const [, charset] = /;\s*charset="?([\w-]+)/i.exec(contentType) ?? [];
  try {
    const isDeclared = charset !== undefined;
    const decoder = new TextDecoder(charset, { ignoreBOM: true, fatal: !isDeclared });
    // A cut may fall into the middle of a character: `stream` leaves the half of it out.
    return decoder.decode(bytes, { stream: isCut });
  } catch {
    return new TextDecoder('latin1').decode(bytes);
  }
};
