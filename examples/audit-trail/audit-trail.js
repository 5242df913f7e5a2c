import { Buffer } from 'node:buffer';
import { appendFile, rename, stat } from 'node:fs/promises';

/**
 * Writes every event to a file, as a line of JSON, and rotates the file by size. Copy this file and
 * name it in the configuration:
 *
 *     plugins:
 *       audit: { use: ./audit-trail.js, file: /var/log/rollgate/audit.ndjson }
 *
 * Delivery is at least once: after a crash the last line may be repeated, with the same `id`. Of
 * several gateways each writes the events that it delivers; give each a file of its own.
 *
 * @param {import('rollgate/plugin')} api
 */
export default ({ definePlugin, envelopeOf, z }) =>
  definePlugin({
    apiVersion: 1,
    name: 'audit-trail',
    version: '1.0.0',
    title: 'Audit trail',
    description: 'Writes every event to a file, one JSON object per line.',
    multiple: true,
    settings: z.strictObject({
      file: z.string().min(1).describe('The file to append to.'),
      maxBytes: z.int().min(1_000).default(100_000_000).describe('Size at which it is rotated.'),
      keep: z.int().min(1).max(1_000).default(10).describe('Number of rotated files to keep.'),
    }),
    start: ({ settings: { file, maxBytes, keep } }) => {
      const rotate = async () => {
        for (let age = keep; age > 0; age -= 1)
          await rename(age === 1 ? file : `${file}.${age - 1}`, `${file}.${age}`).catch(
            ignoreMissing,
          );
      };
      return {
        subscriber: {
          // One key, one delivery at a time: lines are written one after another.
          route: () => ['file'],
          deliver: async ({ event }) => {
            const line = `${JSON.stringify(envelopeOf(event))}\n`;
            const size = (await stat(file).catch(ignoreMissing))?.size ?? 0;
            if (size > 0 && size + Buffer.byteLength(line) > maxBytes) await rotate();
            await appendFile(file, line, { mode: 0o600 });
            return { kind: 'delivered' };
          },
        },
      };
    },
  });

/** @param {NodeJS.ErrnoException} error */
const ignoreMissing = (error) => {
  if (error.code !== 'ENOENT') throw error;
};
