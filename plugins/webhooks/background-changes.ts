import { randomUUID } from 'node:crypto';
import type { JsonObject, JsonValue, PluginHost, TenantId } from '../../src/plugin/api.js';

/** A change that the plugin makes without a request: its rule and input, what follows, what fails. */
export interface BackgroundChange {
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
