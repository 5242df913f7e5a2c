/** Many requests at once that carry one body each. */
export interface Attack {
  readonly name: string;
  readonly method: 'POST' | 'PUT';
  /** Below the tenant's SCIM base. */
  readonly path: string;
  readonly parallel: number;
  readonly body: Buffer;
  /** How many bytes of the body are sent; absent: all. */
  readonly stallAt?: number | undefined;
}

const MEBIBYTE = 1024 * 1024;

const repeated = (count: number, element: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => element(at)).join(',');

/** 7 MB: one object of 600,000 names. */
const manyNames = Buffer.from(`{${repeated(600_000, (at) => `"n${at}":1`)}}`);

/** 8 MB: an array of empty objects. */
const manyObjects = Buffer.from(`{"Operations":[${repeated(2_700_000, () => '{}')}]}`);

/** As many values as a body may hold, each object with a name that no other has. */
const distinctNames = Buffer.from(
  `{"Operations":[${repeated(140_000, (at) => `{"a-name-that-is-a-little-longer-${at}":${at}}`)}]}`,
);

/** As many values as a body may hold, in long texts. */
const longTexts = Buffer.from(
  `{"Operations":[${repeated(290_000, (at) => `"${String(at).padStart(24, 'x')}"`)}]}`,
);

const texts = (bytes: number): Buffer => Buffer.from(`{"filter":"${'x'.repeat(bytes - 13)}"}`);

/** The attacks of issue 12, 1, and the same where bodies of 8 MiB are allowed. */
export const ATTACKS: readonly Attack[] = [
  {
    name: '8 searches of 600,000 names',
    method: 'POST',
    path: '/Users/.search',
    parallel: 8,
    body: manyNames,
  },
  {
    name: '40 searches of 600,000 names',
    method: 'POST',
    path: '/Users/.search',
    parallel: 40,
    body: manyNames,
  },
  {
    name: '40 Bulk requests of 600,000 names',
    method: 'POST',
    path: '/Bulk',
    parallel: 40,
    body: manyNames,
  },
  {
    name: '8 searches of 2,700,000 empty objects',
    method: 'POST',
    path: '/Users/.search',
    parallel: 8,
    body: manyObjects,
  },
  {
    name: '8 Bulk requests of 2,700,000 empty objects',
    method: 'POST',
    path: '/Bulk',
    parallel: 8,
    body: manyObjects,
  },
  {
    name: '8 Bulk requests of 140,000 objects with distinct names',
    method: 'POST',
    path: '/Bulk',
    parallel: 8,
    body: distinctNames,
  },
  {
    name: '8 Bulk requests of 290,000 texts',
    method: 'POST',
    path: '/Bulk',
    parallel: 8,
    body: longTexts,
  },
  {
    name: '40 Bulk requests of one text of 8 MiB',
    method: 'POST',
    path: '/Bulk',
    parallel: 40,
    body: texts(8 * MEBIBYTE),
  },
  {
    name: '60 Bulk requests of 8 MiB that stall',
    method: 'POST',
    path: '/Bulk',
    parallel: 60,
    body: texts(8 * MEBIBYTE),
    stallAt: 8 * MEBIBYTE - 1_000,
  },
  {
    name: '60 searches of 8 MiB that stall',
    method: 'POST',
    path: '/Users/.search',
    parallel: 60,
    body: texts(8 * MEBIBYTE),
    stallAt: 8 * MEBIBYTE - 1_000,
  },
];
