import type { DescribedRecord, PluginRecord } from '../../src/plugin/api.js';
import { readRegistration } from './registration.js';

/**
 * A registration as the provisioning log shows it. Of its address the origin alone: receivers put
 * tokens into paths and queries.
 */
export const describeWebhook = (record: PluginRecord): DescribedRecord => {
  const registration = readRegistration(record);
  const { url, query, events, status, description, headers, secret, disabledReason } = registration;
  const { origin, host } = new URL(url);
  return {
    kind: 'webhook',
    name: description ?? host,
    shown: {
      url: origin,
      events: [...events],
      status,
      description,
      headers: headers.map(({ name }) => name),
      disabled_reason: disabledReason,
    },
    hidden: {
      url: url + (query ?? ''),
      secret,
      headers: headers.map((header) => ({ ...header })),
    },
  };
};
