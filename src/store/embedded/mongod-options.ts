import { totalmem } from 'node:os';

export const HOST = '127.0.0.1';
export const REPLICA_SET = 'rollgate';

const GIGABYTE = 1024 ** 3;
const MIN_CACHE_GB = 0.25;
const MAX_CACHE_GB = 2;

/** Options of the embedded mongod, besides its address and files. */
export const mongodOptions = (memory: number = availableMemory()): readonly string[] => [
  ...['--wiredTigerCacheSizeGB', cacheGigabytes(memory).toFixed(2)],
  // There is no other member that reads the oplog, which grows to 5 % of the disk otherwise.
  ...['--oplogSize', '990'],
  // zlib compression leaks memory before 6.0.27 (CVE-2025-14847), and loopback needs none.
  ...['--networkMessageCompressors', 'disabled'],
  '--nounixsocket',
  '--quiet',
  // Slow operations would be logged with the e-mail addresses and numbers in them.
  ...['--slowms', '3600000'],
  // After a kill -9 an open transaction blocks its tenant until this limit (reliability.md 4).
  ...['--setParameter', 'transactionLifetimeLimitSeconds=15'],
  ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
];

/** A quarter of the memory, within limits, because the gateway runs on the same machine. */
const cacheGigabytes = (memory: number): number =>
  Math.min(MAX_CACHE_GB, Math.max(MIN_CACHE_GB, memory / 4 / GIGABYTE));

/** In a container its limit applies instead of the machine's memory. */
const availableMemory = (): number => {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
};
