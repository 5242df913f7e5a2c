import { resolve } from 'node:path';
import { trustedAuthorities } from '../plugin/outbound/trusted-authorities.js';
import type { DoctorContext } from './context.js';
import { reasonOf } from './reason-of.js';
import { CheckSkipped } from './check-result.js';

/** The CAs that webhooks trust with this file; throws a CheckSkipped if it cannot be read. */
export const trustedCas = ({ cwd }: DoctorContext, file: string): string[] => {
  try {
    return [...trustedAuthorities(resolve(cwd, file))];
  } catch (error) {
    throw new CheckSkipped(`${reasonOf(error)}; see webhook-ca.`);
  }
};
