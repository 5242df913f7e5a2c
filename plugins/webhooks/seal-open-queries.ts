import { randomUUID } from 'node:crypto';
import type { TenantId } from '../../src/domain/ids.js';
import type { PluginHost } from '../../src/plugin/index.js';
import { isOpen, sealAddress } from './address.js';
import type { Registration } from './registration.js';

/**
 * Seals the queries of registrations that were made before queries were: soon after each is met, so
 * that whatever asked for it does not wait. Its version stays, for nothing that is shown changes.
 */
export const createQuerySealer = ({
  records,
  secrets,
  log,
}: Pick<PluginHost, 'records' | 'secrets' | 'log'>) => {
  const underWay = new Set<string>();

  const seal = async (
    tenantId: TenantId,
    { id, url, version }: Pick<Registration, 'id' | 'url' | 'version'>,
  ): Promise<void> => {
    const request = {
      tenantId,
      actor: { kind: 'system', name: 'webhooks' },
      source: 'system',
      requestId: `webhooks-${randomUUID()}`,
    } as const;
    await records.change(request, 'sealQuery', { id, version, ...sealAddress(url, secrets) });
  };

  return (tenantId: TenantId, registrations: Iterable<Registration>): void => {
    for (const registration of registrations) {
      const { id } = registration;
      if (!isOpen(registration) || underWay.has(id)) continue;
      underWay.add(id);
      seal(tenantId, registration)
        .catch((error: unknown) => {
          log.warn({ err: error, webhook: id }, 'The query of an address could not be encrypted.');
        })
        .finally(() => underWay.delete(id));
    }
  };
};
