import type { TenantId } from '../../domain/ids.js';
import type { Clock } from '../clock.js';
import type { PluginLog } from '../host.js';
import { batched } from './batched.js';
import type { EngineLimits } from './engine-limits.js';
import { type KeyGate, type LaneOfGate, noteServed } from './key-gate.js';
import { createOutage, type Outage } from './outage.js';
import type { ResourceLane } from './resource-lane.js';

export interface ServingCheckParts {
  readonly clock: Clock;
  readonly limits: EngineLimits;
  readonly log: PluginLog;
  /** The subscriber has answered for the lane's key and tenant. */
  readonly answered: (asked: LaneOfGate) => void;
  /** It no longer serves the key for that tenant; told before the lanes are. */
  readonly unserved: (gate: KeyGate, tenantId: TenantId) => void;
}

/** A key of a tenant that a subscriber is being asked about, and the lanes that wait for it. */
interface Question {
  readonly gate: KeyGate;
  readonly tenantId: TenantId;
  readonly lanes: Set<ResourceLane>;
}

const nameOf = ({ plugin, key }: KeyGate, tenantId: TenantId): string =>
  `${plugin}\n${tenantId}\n${key}`;

const groupByTenant = (asked: readonly Question[]): readonly (readonly Question[])[] => {
  const groups = new Map<string, Question[]>();
  for (const question of asked) {
    const name = `${question.gate.plugin}\n${question.tenantId}`;
    const group = groups.get(name) ?? [];
    group.push(question);
    groups.set(name, group);
  }
  return [...groups.values()];
};

/**
 * Asks subscribers whether they still serve keys, those of a tenant together. A "yes" counts from
 * before the question, so that no attempt starts more than a second after a key is disabled
 * (decisions.md 7). No answer: asked again, and meanwhile nothing is sent.
 */
export const createServingCheck = (parts: ServingCheckParts) => {
  const { clock, limits, log, answered, unserved } = parts;
  const outages = new Map<string, Outage>();
  const open = new Map<string, Question>();

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

  const close = ({ gate, tenantId, lanes }: Question, servedAt: number | undefined): void => {
    open.delete(nameOf(gate, tenantId));
    if (servedAt === undefined) unserved(gate, tenantId);
    else noteServed(gate, tenantId, servedAt);
    for (const lane of lanes) answered({ gate, lane });
  };

  const askTogether = async (questions: readonly Question[]): Promise<void> => {
    const [first] = questions;
    if (!first) return;
    const { gate, tenantId } = first;
    const askedAt = clock.now();
    try {
      const keys = questions.map((question) => question.gate.key);
      const served = await gate.subscriber.serving(tenantId, keys);
      outageOf(gate.plugin).answered();
      for (const question of questions) {
        close(question, served.has(question.gate.key) ? askedAt : undefined);
      }
    } catch (cause) {
      outageOf(gate.plugin).failed(cause);
      clock.after(limits.askAgainMs, () => questions.forEach(askAll));
    }
  };

  const askAll = batched<Question>(async (questions) => {
    await Promise.all(groupByTenant(questions).map(askTogether));
  });

  return {
    ask: ({ gate, lane }: LaneOfGate): void => {
      const name = nameOf(gate, lane.tenantId);
      const known = open.get(name);
      if (known) return void known.lanes.add(lane);
      const question = { gate, tenantId: lane.tenantId, lanes: new Set([lane]) };
      open.set(name, question);
      askAll(question);
    },
    /** Whether the last "yes" may still be trusted. */
    isTrusted: ({ gate, lane }: LaneOfGate): boolean =>
      clock.now() - (gate.servedAt.get(lane.tenantId) ?? -Infinity) < limits.trustMs,
  };
};
