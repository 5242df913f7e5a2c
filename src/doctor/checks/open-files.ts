import {
  EMBEDDED_OPEN_FILES,
  GATEWAY_OPEN_FILES,
  RAISE_OPEN_FILES,
} from '../../process/open-files.js';
import { type Check, type CheckResult, fail, ok, warn } from '../check-result.js';

/** Enough for a thousand clients with open connections. */
const COMFORTABLE = 4096;

/** The number of files and connections that a gateway can open is sufficient. */
export const checkOpenFiles =
  (readLimit: () => number): Check =>
  ({ isEmbedded }) =>
    evaluate(readLimit(), isEmbedded());

const evaluate = (limit: number, isEmbedded: boolean): CheckResult => {
  const details = { limit: Number.isFinite(limit) ? limit : null };
  const needed = isEmbedded ? EMBEDDED_OPEN_FILES : GATEWAY_OPEN_FILES;
  const remedy = `${RAISE_OPEN_FILES[0]?.toUpperCase()}${RAISE_OPEN_FILES.slice(1)}.`;
  if (limit < needed)
    return fail(`Open file limit: ${limit}. The gateway needs ${needed}.`, remedy, details);
  if (limit < COMFORTABLE)
    return warn(
      `Open file limit: ${limit}. This is low: each connection needs one.`,
      remedy,
      details,
    );
  return ok(`Open file limit: ${Number.isFinite(limit) ? limit : 'unlimited'}.`, details);
};
