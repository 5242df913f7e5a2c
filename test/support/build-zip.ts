import { crc32, deflateRawSync } from 'node:zlib';

/** A minimal zip archive of deflated files (APPNOTE.TXT 4.3). */
export const buildZip = (files: Readonly<Record<string, Buffer>>): Buffer => {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const compressed = deflateRawSync(content);
    const local = header(
      0x04034b50,
      30,
      name,
      { 8: 8 },
      { 14: crc32(content), 18: compressed.length, 22: content.length },
    );
    directory.push(
      header(
        0x02014b50,
        46,
        name,
        { 10: 8 },
        { 16: crc32(content), 20: compressed.length, 24: content.length, 42: offset },
      ),
    );
    bodies.push(local, compressed);
    offset += local.length + compressed.length;
  }
  const entries = Buffer.concat(directory);
  const end = fixed(
    22,
    { 8: directory.length, 10: directory.length },
    { 12: entries.length, 16: offset },
  );
  end.writeUInt32LE(0x06054b50, 0);
  return Buffer.concat([...bodies, entries, end]);
};

type Fields = Readonly<Record<number, number>>;

const header = (
  signature: number,
  size: number,
  name: string,
  short: Fields,
  long: Fields,
): Buffer => {
  const bytes = Buffer.from(name);
  const nameLengthAt = size === 30 ? 26 : 28;
  const start = fixed(size, { ...short, [nameLengthAt]: bytes.length }, { ...long, 0: signature });
  return Buffer.concat([start, bytes]);
};

const fixed = (size: number, short: Fields, long: Fields): Buffer => {
  const buffer = Buffer.alloc(size);
  for (const [at, value] of Object.entries(short)) buffer.writeUInt16LE(value, Number(at));
  for (const [at, value] of Object.entries(long)) buffer.writeUInt32LE(value, Number(at));
  return buffer;
};
