/** The few pieces of DER (X.690) that a certificate is written in. */
const element = (tag: number, ...contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content), content]);
};

const lengthOf = ({ length }: Uint8Array): Buffer => {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 + bytes.length]), bytes]);
};

export const sequence = (...items: readonly Uint8Array[]): Buffer => element(0x30, ...items);
export const set = (...items: readonly Uint8Array[]): Buffer => element(0x31, ...items);
export const octetString = (content: Uint8Array): Buffer => element(0x04, content);
export const utf8String = (text: string): Buffer => element(0x0c, Buffer.from(text));
export const truth = element(0x01, Buffer.from([0xff]));

/** Positive: a leading zero keeps the sign bit clear. */
export const integer = (bytes: Uint8Array): Buffer =>
  element(0x02, (bytes[0] ?? 0) > 0x7f ? Buffer.from([0]) : Buffer.alloc(0), bytes);

export const bitString = (content: Uint8Array, unusedBits = 0): Buffer =>
  element(0x03, Buffer.from([unusedBits]), content);

/** A tag that the structure gives a meaning: constructed around others, or plain bytes. */
export const tagged = (number: number, ...items: readonly Uint8Array[]): Buffer =>
  element(0xa0 + number, ...items);
export const taggedBytes = (number: number, content: Uint8Array): Buffer =>
  element(0x80 + number, content);

export const oid = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(inBase128)]));
};

const inBase128 = (value: number): number[] => {
  const digits = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
};

/** YYMMDDHHMMSSZ: years before 2050 only (RFC 5280, 4.1.2.5.1). */
export const utcTime = (time: Date): Buffer => {
  const digits = time.toISOString().replace(/\D/g, '');
  return element(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
};
