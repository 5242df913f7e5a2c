import { batched } from './batched.js';
import type { Clock } from '../clock.js';
import type { PluginLog } from '../contract.js';
import type { EngineLimits } from './engine-limits.js';
import type { KeyGate } from './key-gate.js';
import { createOutage, type Outage } from './outage.js';

export interface ServingCheckParts {
  readonly clock: Clock;
  readonly limits: EngineLimits;
  readonly log: PluginLog;
  /** The subscriber has said whether it serves the gate's key; nothing is sent before. */
  readonly answered: (gate: KeyGate, isServed: boolean) => void;
}

/**
 * Asks subscribers whether they still serve keys, those of a tenant together. A "yes" counts from
 * before the question, so that no attempt starts more than a second after a key is disabled
 * (decisions.md 7). No answer: asked again, and meanwhile nothing is sent.
 */
export const createServingCheck = ({ clock, limits, log, answered }: ServingCheckParts) => {
  const outages = new Map<string, Outage>();

  const outageOf = (plugin: string): Outage => {
    const known = outages.get(plugin);
    if (known) return known;
    const sentences = {
      began: 'The plugin cannot tell whom it still serves; its deliveries wait.',
      ended: 'The plugin tells again whom it serves.',
    };
    const outage = createOutage(log, sentences, { plugin });
    outages.set(plugin, outage);
    return outage;
  };

  const askTogether = async (gates: readonly [KeyGate, ...KeyGate[]]): Promise<void> => {
    const [{ plugin, tenantId, subscriber }] = gates;
    const askedAt = clock.now();
    try {
      const served = await subscriber.serving(
        tenantId,
        gates.map((gate) => gate.key),
      );
      outageOf(plugin).answered();
      for (const gate of gates) {
        gate.isAsking = false;
        if (served.has(gate.key)) gate.servedAt = Math.max(gate.servedAt, askedAt);
        answered(gate, served.has(gate.key));
      }
    } catch (cause) {
      outageOf(plugin).failed(cause);
      clock.after(limits.askAgainMs, () => gates.forEach(ask));
    }
  };

  const askAll = async (gates: readonly KeyGate[]): Promise<void> => {
    const groups = new Map<string, [KeyGate, ...KeyGate[]]>();
    for (const gate of gates) {
      const group = `${gate.plugin}\n${gate.tenantId}`;
      const known = groups.get(group);
      if (known) known.push(gate);
      else groups.set(group, [gate]);
    }
    await Promise.all([...groups.values()].map(askTogether));
  };

  const ask = batched(askAll);

  return {
    ask: (gate: KeyGate): void => {
      gate.isAsking = true;
      ask(gate);
    },
    /** Whether the last "yes" may still be trusted. */
    isTrusted: (gate: KeyGate): boolean => clock.now() - gate.servedAt < limits.trustMs,
  };
};
