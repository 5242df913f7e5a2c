/** How large a value may be. */
export interface ValueLimits {
  /** Of its texts and names, in bytes; other values count as eight. */
  readonly bytes: number;
  /** Values in it, itself and lists and objects included. */
  readonly values: number;
  /** Nested lists and objects. */
  readonly depth: number;
}

/**
 * Why a value is larger than the limits, such as `has more than 10,000 values`; undefined if it is not.
 * Looks at no more than the limits allow.
 */
export const excessOf = (value: unknown, limits: ValueLimits): string | undefined => {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  let bytes = 0;
  let values = 1;
  for (let next = open.pop(); next; next = open.pop()) {
    const { value: one, depth } = next;
    bytes += typeof one === 'string' ? Buffer.byteLength(one) : 8;
    if (bytes > limits.bytes) return `has more than ${shownBytes(limits.bytes)}`;
    if (typeof one !== 'object' || one === null) continue;
    if (depth >= limits.depth) return `is nested deeper than ${limits.depth} levels`;
    // Counted before they are listed: a list may be longer than the limit by far.
    if (Array.isArray(one)) values += one.length;
    for (const key in one) {
      if (!Array.isArray(one)) {
        values += 1;
        bytes += Buffer.byteLength(key);
      }
      if (values > limits.values)
        return `has more than ${limits.values.toLocaleString('en')} values`;
      open.push({ value: (one as Readonly<Record<string, unknown>>)[key], depth: depth + 1 });
    }
  }
  return undefined;
};

const shownBytes = (bytes: number): string =>
  bytes >= 1_048_576 ? `${bytes / 1_048_576} MiB` : `${bytes / 1_024} KiB`;
