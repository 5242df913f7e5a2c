import {
  EMBEDDED_OPEN_FILES,
  GATEWAY_OPEN_FILES,
  openFileLimit,
  RAISE_OPEN_FILES,
} from '../../open-files.js';
import { type Check, fail, ok, type Verdict, warn } from '../verdict.js';

/** Below this, a thousand clients that keep their connections open are too many. */
const COMFORTABLE = 4096;

/** How many files and connections a gateway that is started here may have open at once. */
export const checkOpenFiles: Check = ({ isEmbedded }) =>
  Promise.resolve(judgeOpenFiles(openFileLimit(), isEmbedded()));

export const judgeOpenFiles = (limit: number, isEmbedded: boolean): Verdict => {
  const details = { limit: Number.isFinite(limit) ? limit : null };
  const least = isEmbedded ? EMBEDDED_OPEN_FILES : GATEWAY_OPEN_FILES;
  const remedy = `${RAISE_OPEN_FILES[0]?.toUpperCase()}${RAISE_OPEN_FILES.slice(1)}.`;
  if (limit < least)
    return fail(`${limit} files may be open; the gateway needs ${least}.`, remedy, details);
  if (limit < COMFORTABLE)
    return warn(
      `${limit} files may be open, which is little: each connection takes one.`,
      remedy,
      details,
    );
  return ok(`${Number.isFinite(limit) ? limit : 'Any number of'} files may be open.`, details);
};
