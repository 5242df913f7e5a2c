const BLOCK = 512;

/** A tar archive (POSIX ustar) with one executable file. */
export const buildTar = (name: string, content: Buffer): Buffer => {
  const header = Buffer.alloc(BLOCK);
  const put = (text: string, at: number): void => void header.write(text, at, 'latin1');
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');
  put(name, 0);
  put(octal(0o755, 7), 100);
  put(octal(content.length, 11), 124);
  put(octal(0, 11), 136);
  put(' '.repeat(8), 148);
  put('0', 156);
  put('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(`${octal(sum, 6)}\u0000 `, 148);
  const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
  return Buffer.concat([header, content, padding, Buffer.alloc(2 * BLOCK)]);
};
