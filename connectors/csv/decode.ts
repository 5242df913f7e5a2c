import { SourceError } from '../../src/plugin/api.js';

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

interface Decoder {
  readonly decode: (bytes: Uint8Array) => string;
  readonly end: () => string;
}

/** Text of bytes in this encoding; without one, in that of the byte order mark, else UTF-8. */
export async function* decode(
  chunks: AsyncIterable<Uint8Array>,
  encoding: Encoding | 'auto',
): AsyncGenerator<string, undefined> {
  let decoder: Decoder | undefined;
  let start = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (decoder) {
      yield decoder.decode(chunk);
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < BYTE_ORDER_MARK_LENGTH) continue;
    decoder = decoderOf(encodingOf(start, encoding));
    yield decoder.decode(start);
  }
  decoder ??= decoderOf(encodingOf(start, encoding));
  if (start.length < BYTE_ORDER_MARK_LENGTH) yield decoder.decode(start);
  yield decoder.end();
  return undefined;
}

const BYTE_ORDER_MARK_LENGTH = 3;

const encodingOf = (start: Buffer, wanted: Encoding | 'auto'): Encoding => {
  if (wanted !== 'auto') return wanted;
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  return 'utf-8';
};

const decoderOf = (encoding: Encoding): Decoder => {
  if (encoding === 'windows-1252') return { decode: decodeWindows1252, end: () => '' };
  const decoder = new TextDecoder(encoding, { fatal: true });
  const attempt = (decodeNow: () => string): string => {
    try {
      return decodeNow();
    } catch (cause) {
      throw new SourceError(
        'schema',
        `The file is not valid ${encoding.toUpperCase()}. If it is complete, set \`encoding\`, for ` +
          'example to windows-1252.',
        { cause },
      );
    }
  };
  return {
    decode: (bytes) => attempt(() => decoder.decode(bytes, { stream: true })),
    end: () => attempt(() => decoder.decode()),
  };
};

/** From 0x80; undefined bytes stay control characters. TextDecoder of Node 20 reads Latin-1 instead. */
const HIGH_CONTROLS =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

const decodeWindows1252 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (c) => HIGH_CONTROLS[c.charCodeAt(0) - 0x80] ?? c);
