/**
 * The form of a name by which the gateway compares it: without regard to case, width and white space.
 * As `nameKey` in the gateway's code, which this published client cannot import.
 */
export const nameKey = (text: string): string =>
  text
    .replace(/[\u3000\uff01-\uffee]+/g, (wide) => wide.normalize('NFKC'))
    .normalize('NFC')
    .toLowerCase()
    .normalize('NFC')
    .trim()
    .replace(/\s+/g, ' ');
