import type { PluginLag, PluginState } from '../api/plugin-state.js';
import type { ConfiguredPlugins } from './check-config.js';
import type { EngineGauges } from '../plugin/delivery/engine-gauges.js';
import type { RunningPlugins } from '../plugin/host/plugin-host.js';

export interface PluginStateParts {
  readonly configured: ConfiguredPlugins;
  readonly running: Pick<RunningPlugins, 'status' | 'subscribers'>;
  readonly gauges: EngineGauges;
}

/** State, health and lag of every plugin that the configuration names. */
export const readPluginStates = async ({
  configured,
  running,
  gauges,
}: PluginStateParts): Promise<readonly PluginState[]> => {
  const [statuses, { pending, overdueSeconds, lastFailures }] = await Promise.all([
    running.status(),
    gauges.snapshot(),
  ]);
  const lagOf = (name: string): PluginLag | null =>
    running.subscribers.has(name)
      ? {
          pending: pending && (pending.get(name) ?? 0),
          overdueSeconds: overdueSeconds && (overdueSeconds.get(name) ?? 0),
        }
      : null;
  const lastFailureOf = (name: string): PluginState['lastFailure'] => {
    const failure = lastFailures.get(name);
    return failure ? { at: new Date(Date.now() - failure.agoMs), reason: failure.reason } : null;
  };
  const useOf = (name: string): string | null =>
    configured.enabled.find((plugin) => plugin.name === name)?.use ?? null;
  return [
    ...statuses.map((status) => ({
      ...status,
      use: useOf(status.name),
      state: status.health.ok ? ('running' as const) : ('degraded' as const),
      lag: lagOf(status.name),
      lastFailure: lastFailureOf(status.name),
    })),
    ...configured.disabled.map(({ name, use = null }) => ({
      name,
      use,
      title: null,
      state: 'disabled' as const,
      health: null,
      lag: null,
      lastFailure: null,
    })),
  ];
};
