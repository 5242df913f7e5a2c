import type { ReadMessage } from './connector-contract.js';
import type { OpenConnector } from './connector-contract.js';

/** A few records of a source. */
export interface SourceSample {
  readonly records: readonly Extract<ReadMessage, { type: 'record' }>[];
  /** Whether more follows the records. */
  readonly hasMore: boolean;
  readonly errors: readonly Extract<ReadMessage, { type: 'recordError' }>[];
}

interface SampleRequest {
  readonly pageSize: number;
  /** Of a source that has everything in one response. */
  readonly most: number;
  /** Only these records. */
  readonly ids?: readonly string[];
  readonly signal: AbortSignal;
}

/** The first page of a source, or some of its records. Leaves the source as it is. */
export const readSample = async (
  open: OpenConnector,
  { pageSize, most, ids, signal }: SampleRequest,
): Promise<SourceSample> => {
  const records: Extract<ReadMessage, { type: 'record' }>[] = [];
  const errors: Extract<ReadMessage, { type: 'recordError' }>[] = [];
  const request = { mode: 'full', cursor: null, isResumed: false, isTrial: true } as const;
  for await (const message of open.read({ ...request, pageSize, ...(ids && { ids }), signal })) {
    if (message.type === 'complete') return { records, errors, hasMore: false };
    if (message.type === 'recordError') errors.push(message);
    if (message.type === 'record') records.push(message);
    // A page ends at a checkpoint.
    const isPage = message.type === 'checkpoint' && records.length > 0 && !ids;
    if (isPage || records.length + errors.length >= most) break;
  }
  return { records, errors, hasMore: !ids };
};
