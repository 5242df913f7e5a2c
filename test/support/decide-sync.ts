import { asChunked, type Chunked, runSync } from '../../src/domain/kernel/chunked.js';
import type { Decision } from '../../src/domain/kernel/decider.js';

/** Decides without yielding to the event loop. */
export const decideSync = <Result>(
  deciding: Decision<Result> | Chunked<Decision<Result>>,
): Decision<Result> => runSync(asChunked(deciding));
