/** Many concurrent requests with the same body. */
export interface Attack {
  readonly name: string;
  readonly method: 'POST' | 'PUT';
  /** Under the tenant's SCIM base URL. */
  readonly path: string;
  readonly parallel: number;
  readonly body: Buffer;
  /** How many bytes of the body are sent; default: all. */
  readonly stallAt?: number | undefined;
}

const MEBIBYTE = 1024 * 1024;

const repeated = (count: number, element: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => element(at)).join(',');

/** 7 MB: one object with 600,000 names. */
const manyNames = Buffer.from(`{${repeated(600_000, (at) => `"n${at}":1`)}}`);

/** 8 MB: an array of empty objects. */
const manyObjects = Buffer.from(`{"Operations":[${repeated(2_700_000, () => '{}')}]}`);

/** As many values as a body may contain, in objects with distinct names. */
const distinctNames = Buffer.from(
  `{"Operations":[${repeated(140_000, (at) => `{"a-name-that-is-a-little-longer-${at}":${at}}`)}]}`,
);

/** As many values as a body may contain, in long strings. */
const longStrings = Buffer.from(
  `{"Operations":[${repeated(290_000, (at) => `"${String(at).padStart(24, 'x')}"`)}]}`,
);

/** 8 MiB: one string. */
const oneString = Buffer.from(`{"filter":"${'x'.repeat(8 * MEBIBYTE - 13)}"}`);

const search = (name: string, parallel: number, body: Buffer, stallAt?: number): Attack => ({
  name,
  method: 'POST',
  path: '/Users/.search',
  parallel,
  body,
  stallAt,
});

const bulk = (name: string, parallel: number, body: Buffer, stallAt?: number): Attack => ({
  ...search(name, parallel, body, stallAt),
  path: '/Bulk',
});

const STALL_AT = 8 * MEBIBYTE - 1_000;

export const ATTACKS: readonly Attack[] = [
  search('8 searches of 600,000 names', 8, manyNames),
  search('40 searches of 600,000 names', 40, manyNames),
  bulk('40 Bulk requests of 600,000 names', 40, manyNames),
  search('8 searches of 2,700,000 empty objects', 8, manyObjects),
  bulk('8 Bulk requests of 2,700,000 empty objects', 8, manyObjects),
  bulk('8 Bulk requests of 140,000 objects with distinct names', 8, distinctNames),
  bulk('8 Bulk requests of 290,000 strings', 8, longStrings),
  bulk('40 Bulk requests of one string of 8 MiB', 40, oneString),
  bulk('60 Bulk requests of 8 MiB that stall', 60, oneString, STALL_AT),
  search('60 searches of 8 MiB that stall', 60, oneString, STALL_AT),
];
