import {
  type IfMatch,
  parseRecordId,
  type PluginHost,
  type RecordId,
  RefusalError,
  type SharedCaller,
} from '../../src/plugin/api.js';
import { type LastTriggerStatus, webhookId } from './bodies.js';
import { z } from 'zod';
import { WEBHOOKS } from './declarations.js';
import { readRegistration, type Registration } from './registration.js';
import { webhookNotFound } from './rules.js';

const STATUS_DIGITS = { success: 1, failed: 2 } as const;

/**
 * The version that a registration's entity tag is made of. Its settings are versioned, its last
 * outcome is not, yet both are shown: a 304 after the outcome changed would hide it. So the last
 * digit stands for the outcome, and what is before it for the settings.
 */
export const tagVersion = (version: number, status: LastTriggerStatus | null): number =>
  version * 10 + (status === null ? 0 : STATUS_DIGITS[status]);

const ofSettings = (tags: readonly number[]): readonly number[] =>
  tags.map((tag) => Math.floor(tag / 10));

/** The versions of the settings that a precondition names: a delivery in between is no conflict. */
export const settingsVersions = (ifMatch: IfMatch): IfMatch => {
  if (ifMatch === '*') return ifMatch;
  return 'noneOf' in ifMatch ? { noneOf: ofSettings(ifMatch.noneOf) } : ofSettings(ifMatch);
};

/** What all routes of webhooks have in common. */
export const routing = { scope: WEBHOOKS, tag: 'Webhooks' } as const;

export const params = z.object({ id: webhookId });

const notFound = (): never => {
  throw new RefusalError(webhookNotFound());
};

/** The id in a path; malformed ids match no registration. */
export const webhookIdIn = (text: string): RecordId => parseRecordId(text) ?? notFound();

/** Whether the caller may see it: a customer, with a setup link, only their own. */
export const isFor = (
  { setup }: Pick<SharedCaller, 'setup'>,
  { isCustomers }: Pick<Registration, 'isCustomers'>,
): boolean => setup === undefined || isCustomers;

/** The registration, or the refusal of one that is not there. */
export const findRegistration = async (
  { records }: Pick<PluginHost, 'records'>,
  { tenant, setup }: Pick<SharedCaller, 'tenant' | 'setup'>,
  id: string,
): Promise<Registration> => {
  const registration = readRegistration(
    (await records.find(tenant.id, webhookIdIn(id))) ?? notFound(),
  );
  return isFor({ ...(setup && { setup }) }, registration) ? registration : notFound();
};
