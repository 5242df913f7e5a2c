import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayProcess } from '../gateway-process.js';
import { waitUntil } from '../wait-until.js';
import type { Ledger } from './ledger.js';

/** What faults are injected into. */
export interface FaultTarget {
  readonly gateways: GatewayProcess[];
  readonly ledger: Ledger;
  /** Slugs. */
  readonly tenants: readonly string[];
}

export interface FaultPlan {
  readonly count: number;
  readonly random: () => number;
  /** Resolves when the service can work again, with how to undo what is left of the fault. */
  readonly inject: (number: number) => Promise<Injected>;
  /** Whether one fault of four comes before every tenant has recovered from the last. */
  readonly hasEarlyFaults?: boolean;
  readonly report: (line: string) => void;
}

export interface Injected {
  readonly description: string;
  readonly undo?: () => Promise<void>;
}

export interface FaultResult {
  readonly faults: number;
  /** From the end of a fault until every tenant was served again. */
  readonly recoveriesMs: readonly number[];
}

/** No fault comes in the last tenth of the load, so that each one interrupts commands. */
const LOADED_SHARE = 0.9;
const EARLY_SHARE = 0.25;

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** Injects faults at random moments, one in each section of the load. */
export const faultLoop = async (
  { gateways, ledger, tenants }: FaultTarget,
  { count, random, inject, hasEarlyFaults = false, report }: FaultPlan,
): Promise<FaultResult> => {
  const creates = ledger.entries.length;
  const recoveriesMs: number[] = [];
  let endedAt = performance.now();
  let undo: Injected['undo'];

  const stuck = (): string =>
    [
      `No progress after ${ledger.acknowledged()} of ${creates} creates.`,
      ...ledger.unexpected.slice(0, 5),
      ...gateways.map(({ output }) => output()),
    ].join('\n');

  const recover = async (): Promise<void> => {
    await waitUntil(() => tenants.every((slug) => ledger.isServedSince(slug, endedAt)), stuck);
    recoveriesMs.push(performance.now() - endedAt);
    await undo?.();
    undo = undefined;
  };

  for (let number = 1; number <= count; number += 1) {
    const section = (share: number): number =>
      ((number - 1 + share) / count) * LOADED_SHARE * creates;
    const startAfter = section(random());
    const isEarly = hasEarlyFaults && number > 1 && random() < EARLY_SHARE;
    const delayMs = random() * (isEarly ? 2_000 : 30);
    if (isEarly) {
      const isDue = (): boolean =>
        performance.now() > endedAt + delayMs || ledger.acknowledged() >= section(1);
      await waitUntil(isDue, stuck);
    } else {
      await recover();
      await waitUntil(() => ledger.acknowledged() >= startAfter, stuck);
      await sleep(delayMs);
    }
    const acknowledged = ledger.acknowledged();
    const began = performance.now();
    const { description, ...injected } = await inject(number);
    endedAt = performance.now();
    undo = injected.undo;
    report(
      `  ${String(number).padStart(3)} after ${String(acknowledged).padStart(6)} users: ` +
        `${description}, back after ${seconds(endedAt - began)}${isEarly ? ' (early)' : ''}` +
        // A busy machine may be so late; deliveries are still pending.
        (acknowledged === creates ? ' (after the last create)' : ''),
    );
  }
  await recover();
  return { faults: count, recoveriesMs };
};
