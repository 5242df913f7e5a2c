import { raise } from '../../domain/kernel/refusals.js';

// Drops a byte order mark, as RFC 8259, 8.1 allows: Windows PowerShell sends one.
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Whether the text is UTF-16 or UTF-32: it starts with a mark, or with a zero byte beside an ASCII
 * character.
 */
const isWide = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) ||
  (first === 0xfe && second === 0xff) ||
  first === 0 ||
  second === 0;

/** Decodes a body, which must be well-formed UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string => {
  if (isWide(bytes)) raise('UNSUPPORTED_MEDIA_TYPE', 'The body must be encoded as UTF-8.');
  try {
    return decoder.decode(bytes);
  } catch {
    return raise('INVALID_JSON', 'The body is not well-formed UTF-8.');
  }
};
