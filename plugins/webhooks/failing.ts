import { randomUUID } from 'node:crypto';
import { createLruMap, type PluginHost } from '../../src/plugin/index.js';
import type { Target } from './outcome-notes.js';

export interface FailingParts {
  readonly host: Pick<PluginHost, 'records' | 'log'>;
  /** In milliseconds; absent: no registration is ever disabled. */
  readonly disableAfter?: number | undefined;
  readonly now: () => Date;
}

/** From then on it is an operator's business. */
const WORTH_SAYING_MS = 3_600_000;
const MOST_SAID = 10_000;

/**
 * What follows where all deliveries to a registration fail for long: the operator is told, once,
 * and, where the operator wants that, the registration is disabled. Never by itself: what happens
 * while a registration is disabled is lost to it (decisions.md 7).
 */
export const createFailing = ({ host, disableAfter, now }: FailingParts) => {
  const { records, log } = host;
  const said = createLruMap<string, string>(MOST_SAID);
  const underWay = new Set<string>();

  const say = ({ tenantId: tenant, id: webhook }: Target, since: string): void => {
    if (said.get(webhook) === since) return;
    said.set(webhook, since);
    log.error({ tenant, webhook, since }, 'A webhook keeps failing; nothing reaches it.');
  };

  const disable = async ({ tenantId, id, epoch }: Target, since: string): Promise<void> => {
    const reason = `All deliveries have failed since ${since}.`;
    const request = {
      tenantId,
      actor: { kind: 'system', name: 'webhooks' },
      source: 'system',
      requestId: `webhooks-${randomUUID()}`,
    } as const;
    const changed = await records.change(request, 'disable', { id, epoch, reason });
    if (changed !== null)
      log.error(
        { tenant: tenantId, webhook: id, since },
        'A webhook that kept failing is disabled.',
      );
  };

  return (target: Target, failingSince: Date): void => {
    const since = failingSince.toISOString();
    const lastedMs = now().getTime() - failingSince.getTime();
    if (lastedMs >= WORTH_SAYING_MS) say(target, since);
    if (disableAfter === undefined || lastedMs < disableAfter || underWay.has(target.id)) return;
    underWay.add(target.id);
    disable(target, since)
      .catch((error: unknown) => {
        log.warn({ err: error, webhook: target.id }, 'A failing webhook could not be disabled.');
      })
      .finally(() => underWay.delete(target.id));
  };
};
