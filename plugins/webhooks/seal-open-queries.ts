import type { PluginHost, TenantId } from '../../src/plugin/api.js';
import { hasPlainQuery, sealUrl } from './stored-url.js';
import { createBackgroundChanges } from './background-changes.js';
import type { Registration } from './registration.js';

/**
 * Encrypts the query strings of registrations stored by versions that did not, when the plugin
 * first reads each. The request that reads one does not wait, and its version stays the same: what
 * the API shows does not change.
 */
export const createQuerySealer = (host: Pick<PluginHost, 'records' | 'secrets' | 'log'>) => {
  const change = createBackgroundChanges(host);
  return (tenantId: TenantId, registrations: Iterable<Registration>): void => {
    for (const registration of registrations) {
      if (!hasPlainQuery(registration)) continue;
      const { id, url, version } = registration;
      change({
        tenantId,
        id,
        rule: 'sealQuery',
        input: { id, version, ...sealUrl(url, host.secrets) },
        failure: 'could not encrypt the query of a webhook URL',
      });
    }
  };
};
