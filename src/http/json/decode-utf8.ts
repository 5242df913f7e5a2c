import { raise } from '../../domain/refusals.js';

// A byte order mark at the start is dropped: RFC 8259, 8.1 lets a reader do so, and Windows
// PowerShell sends one.
const decoder = new TextDecoder('utf-8', { fatal: true });

/** The first bytes of a text in UTF-16 or UTF-32: a mark, or a zero beside an ASCII character. */
const isWide = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) ||
  (first === 0xfe && second === 0xff) ||
  first === 0 ||
  second === 0;

/** The text of a body, which must be well-formed UTF-8: nothing is guessed or replaced. */
export const decodeUtf8 = (bytes: Uint8Array): string => {
  if (isWide(bytes)) raise('UNSUPPORTED_MEDIA_TYPE', 'The body must be encoded as UTF-8.');
  try {
    return decoder.decode(bytes);
  } catch {
    return raise('INVALID_JSON', 'The body is not well-formed UTF-8.');
  }
};
