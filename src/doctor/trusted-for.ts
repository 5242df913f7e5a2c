import { resolve } from 'node:path';
import { trustedAuthorities } from '../plugin/outbound/trusted-authorities.js';
import type { DoctorContext } from './context.js';
import { reasonOf } from './reason-of.js';
import { NotCheckable } from './verdict.js';

/** Whom webhooks trust where this file is configured; throws a NotCheckable where it cannot be read. */
export const trustedFor = ({ cwd }: DoctorContext, file: string): string[] => {
  try {
    return [...trustedAuthorities(resolve(cwd, file))];
  } catch (error) {
    throw new NotCheckable(`${reasonOf(error)}, see webhook-authorities.`);
  }
};
