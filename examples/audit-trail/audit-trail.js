import { Buffer } from 'node:buffer';
import { accessSync, constants } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Appends every event to a file as a line of JSON, and rotates the file by size.
 *
 * @param {import('rollgate/plugin')} api
 */
export default ({ definePlugin, envelopeOf, z }) =>
  definePlugin({
    apiVersion: 1,
    name: 'audit-trail',
    version: '1.0.0',
    title: 'Audit trail',
    description: 'Appends every event to a file, one JSON object per line.',
    multiple: true,
    settings: z.strictObject({
      file: z.string().min(1).describe('The file to append to.'),
      maxBytes: z.int().min(1_000).default(100_000_000).describe('Size at which it is rotated.'),
      keep: z.int().min(1).max(1_000).default(10).describe('Number of rotated files to keep.'),
    }),
    checkFiles: ({ file }, cwd) => {
      const folder = dirname(resolve(cwd, file));
      try {
        accessSync(folder, constants.W_OK);
        return [];
      } catch {
        return [{ path: ['file'], message: `cannot write to the folder ${folder}` }];
      }
    },
    start: ({ settings: { file, maxBytes, keep } }) => {
      let last = Promise.resolve();
      return {
        subscriber: {
          deliver: async ({ event }) => {
            // Tenants are delivered concurrently, and one line is written at a time.
            const written = last.then(() => write(file, event));
            last = written.catch(() => undefined);
            await written;
            return { kind: 'delivered' };
          },
        },
      };

      /** @param {string} path @param {import('rollgate/plugin').DomainEvent} event */
      async function write(path, event) {
        const line = `${JSON.stringify(envelopeOf(event))}\n`;
        if (await append(path, line, maxBytes)) return;
        await rotate(path, keep);
        await append(path, line, Infinity);
      }
    },
  });

/**
 * Resolves once the line is on disk; with false if the file is full.
 *
 * @param {string} path
 * @param {string} line
 * @param {number} maxBytes
 */
const append = async (path, line, maxBytes) => {
  const file = await open(path, 'a+', 0o600);
  try {
    const { size } = await file.stat();
    if (size > 0 && size + Buffer.byteLength(line) > maxBytes) return false;
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(size - 1, 0));
    // After a write that was cut off by a crash or a full disk, start a new line.
    const isCutOff = size > 0 && buffer.toString() !== '\n';
    await file.appendFile(isCutOff ? `\n${line}` : line);
    await file.datasync();
    return true;
  } finally {
    await file.close();
  }
};

/**
 * `audit.ndjson` becomes `audit.ndjson.1`, which becomes `audit.ndjson.2`; the oldest is overwritten.
 *
 * @param {string} path
 * @param {number} keep
 */
const rotate = async (path, keep) => {
  for (let age = keep; age > 0; age -= 1)
    await rename(age === 1 ? path : `${path}.${age - 1}`, `${path}.${age}`).catch(ignoreMissing);
};

/** @param {NodeJS.ErrnoException} error */
const ignoreMissing = (error) => {
  if (error.code !== 'ENOENT') throw error;
};
