import { randomUUID } from 'node:crypto';
import type { JsonObject, JsonValue, PluginHost, TenantId } from '../../src/plugin/api.js';
import { hasPlainQuery, sealUrl, type Registration } from './registration.js';

/** A change that the plugin makes without a request: its rule and input, what follows, what fails. */
interface BackgroundChange {
  readonly tenantId: TenantId;
  /** Id of the registration. */
  readonly id: string;
  readonly rule: string;
  readonly input: JsonObject;
  /** Logged when the change fails; the next occasion tries again. */
  readonly failure: string;
  readonly whenDone?: (changed: JsonValue) => void;
}

/** Starts changes in the background, one at a time for each rule and registration. */
export const createBackgroundChanges = ({
  records,
  log,
}: Pick<PluginHost, 'records' | 'log'>): ((change: BackgroundChange) => void) => {
  const inFlight = new Set<string>();
  return ({ tenantId, id, rule, input, failure, whenDone }) => {
    const key = `${rule} ${id}`;
    if (inFlight.has(key)) return;
    inFlight.add(key);
    const request = {
      tenantId,
      actor: { kind: 'system', name: 'webhooks' },
      source: 'system',
      requestId: `webhooks-${randomUUID()}`,
    } as const;
    records
      .change(request, rule, input)
      .then(whenDone)
      .catch((error: unknown) => log.warn({ err: error, webhook: id }, failure))
      .finally(() => inFlight.delete(key));
  };
};

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
