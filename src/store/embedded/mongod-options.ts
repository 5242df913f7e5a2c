import { totalmem } from 'node:os';

export const HOST = '127.0.0.1';
export const REPLICA_SET = 'rollgate';

const GIGABYTE = 1024 ** 3;
const SMALLEST_CACHE_GB = 0.25;
const LARGEST_CACHE_GB = 2;

/** What a gateway's own mongod is started with, beyond its place. */
export const mongodOptions = (memory: number = availableMemory()): readonly string[] => [
  ...['--wiredTigerCacheSizeGB', cacheGigabytes(memory).toFixed(2)],
  // The oplog serves no other member; without this it grows to 5 % of the disk.
  ...['--oplogSize', '990'],
  // zlib on the wire leaks memory before 6.0.27 (CVE-2025-14847), and loopback needs no compression.
  ...['--networkMessageCompressors', 'disabled'],
  '--nounixsocket',
  '--quiet',
  // A slow operation would stand in the log with the e-mails and numbers in it.
  ...['--slowms', '3600000'],
  // After a kill -9 an open transaction blocks its tenant until this limit (reliability.md 4).
  ...['--setParameter', 'transactionLifetimeLimitSeconds=15'],
  ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
];

/** A quarter of the memory, within bounds: the gateway lives on the same machine. */
const cacheGigabytes = (memory: number): number =>
  Math.min(LARGEST_CACHE_GB, Math.max(SMALLEST_CACHE_GB, memory / 4 / GIGABYTE));

/** In a container the limit counts, not the machine. */
const availableMemory = (): number => {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
};
