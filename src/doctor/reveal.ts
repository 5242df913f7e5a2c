import type { Secret } from '../../config/secret.js';
import { NotCheckable } from './verdict.js';

/** The secret; throws a NotCheckable where it cannot be found: that is told of the configuration. */
export const reveal = (secret: Secret, name: string): string => {
  try {
    return secret.reveal();
  } catch {
    throw new NotCheckable(`${name} cannot be found, see configuration.`);
  }
};
