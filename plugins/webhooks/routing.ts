import { z } from 'zod';
import {
  parseRecordId,
  type PluginHost,
  type RecordId,
  RefusalError,
  type TenantId,
} from '../../src/plugin/api.js';
import { WEBHOOKS } from './declarations.js';
import { webhookId } from './presentation.js';
import { readRegistration, type Registration } from './registration.js';
import { webhookNotFound } from './rules.js';

/** What all routes of webhooks have in common. */
export const routing = { scope: WEBHOOKS, tag: 'Webhooks' } as const;

export const params = z.object({ id: webhookId });

const notFound = (): never => {
  throw new RefusalError(webhookNotFound());
};

/** The id in a path; malformed ids match no registration. */
export const webhookIdIn = (text: string): RecordId => parseRecordId(text) ?? notFound();

/** The registration, or the refusal of one that is not there. */
export const findRegistration = async (
  { records }: Pick<PluginHost, 'records'>,
  tenantId: TenantId,
  id: string,
): Promise<Registration> =>
  readRegistration((await records.find(tenantId, webhookIdIn(id))) ?? notFound());
