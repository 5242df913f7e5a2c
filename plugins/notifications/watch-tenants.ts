import {
  isSame,
  type PluginHost,
  type TenantAttention,
  type TimerRun,
} from '../../src/plugin/api.js';
import { findNews, Reported } from './find-news.js';
import { pairsOf, type QueueName, type Queues } from './queues.js';
import type { SendDigest } from './send-digest.js';
import type { NotificationSettings } from './settings.js';

interface WatchParts {
  readonly host: Pick<
    PluginHost<NotificationSettings>,
    'settings' | 'collection' | 'attention' | 'log' | 'now'
  >;
  readonly queues: Queues;
  readonly send: SendDigest;
}

/** One run of the timer: looks at the tenants if it is time, and sends what is due. */
export const createWatch = ({ host, queues, send }: WatchParts) => {
  const { settings, log, now } = host;
  const rules = Object.entries(settings.rules);
  const pairs = pairsOf(settings);
  const slugs = rules.flatMap(([, { tenants }]) => tenants ?? []);
  const isForAll = rules.some(([, { tenants }]) => tenants === undefined);
  let lookedAt = -Infinity;

  const look = async (
    { tenant, attention }: TenantAttention,
    { fence }: TimerRun,
  ): Promise<void> => {
    const applying = rules.filter(([, { tenants }]) => tenants?.includes(tenant.slug) !== false);
    const stored = host.collection('reported');
    const found = await stored.getMany(
      tenant.id,
      applying.map(([name]) => name),
    );
    for (const [name, rule] of applying) {
      const known = Reported.parse(found.get(name)?.value ?? {});
      const { news, reported } = findNews(rule, attention, known, now());
      if (news.length > 0)
        // First: after a crash between the two, it is queued again, which replaces it.
        await queues.add(
          pairs.filter((pair) => pair.rule === name),
          news.map(({ severity, code, message, action, link }) => ({
            tenant: { slug: tenant.slug, name: tenant.name },
            ...{ severity, code, message, action, link },
          })),
          fence,
        );
      if (!isSame(reported, known))
        await stored.put(tenant.id, [{ key: name, value: reported }], { fence });
    }
  };

  const lookAtAll = async (run: TimerRun): Promise<void> => {
    const startedAt = now().getTime();
    if (startedAt - lookedAt < settings.checkEvery) return;
    lookedAt = startedAt;
    for await (const one of host.attention(isForAll ? undefined : [...new Set(slugs)])) {
      run.signal.throwIfAborted();
      await look(one, run);
    }
  };

  /** False: the target is away, and its other digests wait for the next run. */
  const sendDue = async (name: QueueName, { fence, signal }: TimerRun): Promise<boolean> => {
    const target = settings.targets[name.target];
    const digest = target && (await queues.due(name, fence));
    if (!target || !digest) return true;
    const result = await send(target, digest, signal);
    // An attempt that the gateway itself aborted says nothing about the target.
    signal.throwIfAborted();
    const fields = { ...name, digest: digest.id };
    if (result.isSent) {
      await queues.sent(name, fence);
      log.info(fields, 'sent a notification');
      return true;
    }
    const { reason } = result;
    const isFirst = await queues.failed(name, result, fence);
    if (isFirst) log.error({ ...fields, reason }, 'a notification cannot be sent; it is retried');
    return false;
  };

  /** What is due for one target. */
  const sendAll = async (due: readonly QueueName[], run: TimerRun): Promise<void> => {
    for (const pair of due) {
      run.signal.throwIfAborted();
      if (!(await sendDue(pair, run))) return;
    }
  };

  return async (run: TimerRun): Promise<void> => {
    // What was composed before must not wait for tenants that cannot be read.
    const looked = await lookAtAll(run).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const due = await queues.withDue(pairs);
    const targets = [...new Set(due.map(({ target }) => target))];
    const sent = await Promise.allSettled(
      targets.map((target) =>
        sendAll(
          due.filter((one) => one.target === target),
          run,
        ),
      ),
    );
    run.signal.throwIfAborted();
    const failed = sent.find((one) => one.status === 'rejected');
    if (looked ?? failed) throw (looked?.error ?? failed?.reason) as Error;
  };
};
