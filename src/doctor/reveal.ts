import type { Secret } from '../../config/secret.js';
import { CheckSkipped } from './check-result.js';

/** The secret; throws a CheckSkipped if it is missing, which the check "configuration" reports. */
export const reveal = (secret: Secret, name: string): string => {
  try {
    return secret.reveal();
  } catch {
    throw new CheckSkipped(`${name} is missing; see configuration.`);
  }
};
