/** Decodes bytes as they arrive. */
export interface ByteDecoder {
  readonly decode: (bytes: Uint8Array) => string;
  /** What is left, after the last bytes. */
  readonly end: () => string;
}

/** How text is encoded, as far as that is declared. */
export interface ByteDecoding {
  /** The declared charset, by any of its names (https://encoding.spec.whatwg.org). */
  readonly charset?: string | undefined;
  /** The error for text that is not in its encoding, such as "is not valid UTF-8". */
  readonly broken: (why: string) => Error;
}

/**
 * Decodes text by its byte order mark, else by the declared charset, else by an XML declaration, else as
 * UTF-8. A name that lost a character would overwrite a good one, so text that is not in its encoding
 * is an error.
 */
export const createByteDecoder = ({ charset, broken }: ByteDecoding): ByteDecoder => {
  let decoder: ByteDecoder | undefined;
  let start = Buffer.alloc(0);
  const begin = (): ByteDecoder => {
    const encoding = markedEncoding(start) ?? charset ?? xmlEncoding(start) ?? 'utf-8';
    return (decoder = decoderOf(encoding, broken));
  };
  return {
    decode: (bytes) => {
      if (decoder) return decoder.decode(bytes);
      start = Buffer.concat([start, bytes]);
      return declaresEncoding(start) ? begin().decode(start) : '';
    },
    end: () => {
      const text = decoder ? '' : begin().decode(start);
      return text + (decoder ?? begin()).end();
    },
  };
};

const BYTE_ORDER_MARK_LENGTH = 3;
/** In bytes. */
const MAX_XML_DECLARATION = 256;

const declarationIn = (start: Buffer): string => start.toString('latin1', 0, MAX_XML_DECLARATION);

/** Whether what the text says about its encoding has arrived. */
const declaresEncoding = (start: Buffer): boolean => {
  if (start.length < BYTE_ORDER_MARK_LENGTH) return false;
  const text = declarationIn(start);
  return !text.startsWith('<?x') || text.includes('?>') || start.length >= MAX_XML_DECLARATION;
};

const markedEncoding = (start: Buffer): string | undefined => {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  return start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? 'utf-8' : undefined;
};

/** XML 1.0, 4.3.3. */
const xmlEncoding = (start: Buffer): string | undefined =>
  /^<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/.exec(declarationIn(start))?.[1];

/** ASCII is a part of UTF-8; its name is a label of windows-1252, which decodes everything. */
const UTF_8 = /^(us-?ascii|ascii|utf-?_?8.*)$/i;

const decoderOf = (charset: string, broken: ByteDecoding['broken']): ByteDecoder => {
  const attempt = <Result>(why: string, work: () => Result): Result => {
    try {
      return work();
    } catch {
      throw broken(why);
    }
  };
  const decoder = attempt(
    `declares the charset "${charset.slice(0, 40)}", which cannot be decoded`,
    () => new TextDecoder(UTF_8.test(charset) ? 'utf-8' : charset, { fatal: true }),
  );
  if (decoder.encoding === 'windows-1252') return { decode: decodeWindows1252, end: () => '' };
  const fault = `is not valid ${decoder.encoding.toUpperCase()}`;
  return {
    decode: (bytes) => attempt(fault, () => decoder.decode(bytes, { stream: true })),
    end: () => attempt(fault, () => decoder.decode()),
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
