import { createReadStream, createWriteStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createInflateRaw } from 'node:zlib';

/** The compressed bytes of an entry. */
interface Entry {
  readonly headerAt: number;
  readonly compressedSize: number;
}

const END_OF_DIRECTORY = 0x06054b50;
const END_SIZE = 22;
const MAX_COMMENT_SIZE = 0xffff;
const DIRECTORY_HEADER_SIZE = 46;
const LOCAL_HEADER_SIZE = 30;
const DEFLATED = 8;

/**
 * Extracts one deflated file of a zip archive (APPNOTE.TXT 4.3). Our own code, because the only
 * archive we open is pinned by its hash, and an unzip program may not be installed.
 */
export const unzipEntry = async (archive: string, name: string, target: string): Promise<void> => {
  const file = await open(archive);
  try {
    const entry = await findEntry(file, name);
    const start = await dataStart(file, entry);
    const end = start + entry.compressedSize - 1;
    const compressed = createReadStream(archive, { start, end });
    await pipeline(compressed, createInflateRaw(), createWriteStream(target));
  } finally {
    await file.close();
  }
};

const findEntry = async (file: FileHandle, name: string): Promise<Entry> => {
  const directory = await readDirectory(file);
  for (let at = 0; at + DIRECTORY_HEADER_SIZE <= directory.length;) {
    const nameEnd = at + DIRECTORY_HEADER_SIZE + directory.readUInt16LE(at + 28);
    if (directory.toString('utf8', at + DIRECTORY_HEADER_SIZE, nameEnd) === name) {
      return readEntry(directory, at);
    }
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  throw new Error(`the archive has no ${name}`);
};

const readEntry = (directory: Buffer, at: number): Entry => {
  if (directory.readUInt16LE(at + 10) !== DEFLATED) throw new Error('the entry is not deflated');
  return {
    compressedSize: directory.readUInt32LE(at + 20),
    headerAt: directory.readUInt32LE(at + 42),
  };
};

const readDirectory = async (file: FileHandle): Promise<Buffer> => {
  const { size } = await file.stat();
  const length = Math.min(size, END_SIZE + MAX_COMMENT_SIZE);
  const tail = await read(file, size - length, length);
  for (let at = length - END_SIZE; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) === END_OF_DIRECTORY) {
      return read(file, tail.readUInt32LE(at + 16), tail.readUInt32LE(at + 12));
    }
  }
  throw new Error('the file is not a zip archive');
};

/** The local header repeats the name and has an extra field of its own length. */
const dataStart = async (file: FileHandle, { headerAt }: Entry): Promise<number> => {
  const header = await read(file, headerAt, LOCAL_HEADER_SIZE);
  return headerAt + LOCAL_HEADER_SIZE + header.readUInt16LE(26) + header.readUInt16LE(28);
};

const read = async (file: FileHandle, position: number, length: number): Promise<Buffer> => {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  if (bytesRead !== length) throw new Error('the archive is truncated');
  return buffer;
};
