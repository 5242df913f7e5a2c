import { setTimeout as pause } from 'node:timers/promises';
import type { GatewayProcess } from './gateway-process.js';
import type { Ledger } from './ledger.js';
import { until } from './until.js';

export interface KillerParts {
  readonly first: GatewayProcess;
  readonly start: () => Promise<GatewayProcess>;
  readonly ledger: Ledger;
  readonly tenants: readonly string[];
  readonly kills: number;
  readonly random: () => number;
  readonly told: (kill: Kill) => void;
}

/** One kill, and how the gateway that came after it got on. */
export interface Kill {
  readonly number: number;
  /** Users that were acknowledged when it was killed. */
  readonly acknowledged: number;
  /** Whether it came before all tenants had got over the last one. */
  readonly isHasty: boolean;
  /** From the kill until the next gateway was ready. */
  readonly startMs: number;
}

export interface Reign {
  readonly gateway: () => GatewayProcess;
  /** Resolves with the longest time from a gateway's readiness to a tenant's first answer. */
  readonly over: Promise<Reckoning>;
}

export interface Reckoning {
  readonly kills: readonly Kill[];
  readonly recoveriesMs: readonly number[];
}

/** No kill comes in the last part of the load, so that each meets commands that are under way. */
const LOADED = 0.9;
const HASTY = 0.25;

/**
 * Kills the gateway at random moments, each in its own stretch of the load: once every tenant is
 * answered again, or, one time in four, within two seconds of readiness, whatever it is at.
 */
export const reign = (parts: KillerParts): Reign => {
  const { ledger, kills, random } = parts;
  let gateway = parts.first;
  const creates = ledger.entries.length;
  const done: Kill[] = [];
  const recoveriesMs: number[] = [];

  const stuck = (): string =>
    [
      `Nothing got on after ${ledger.acknowledged()} of ${creates} creates.`,
      ...ledger.surprises.slice(0, 5),
      gateway.lastWords(),
    ].join('\n');

  const replace = async (number: number, isHasty: boolean): Promise<void> => {
    const acknowledged = ledger.acknowledged();
    if (acknowledged === creates) throw new Error(`Kill ${number} met no load.`);
    const killedAt = performance.now();
    gateway.signal('SIGKILL');
    await gateway.ended;
    gateway = await parts.start();
    const kill = { number, acknowledged, isHasty, startMs: performance.now() - killedAt };
    done.push(kill);
    parts.told(kill);
  };

  const recovered = async (readyAt: number): Promise<void> => {
    const areServed = () => parts.tenants.every((slug) => ledger.isServedSince(slug, readyAt));
    await until(areServed, stuck);
    recoveriesMs.push(performance.now() - readyAt);
  };

  const run = async (): Promise<Reckoning> => {
    for (let number = 1; number <= kills; number += 1) {
      const readyAt = performance.now();
      const from = ((number - 1 + random()) / kills) * LOADED * creates;
      const isHasty = random() < HASTY && number > 1;
      const waitMs = random() * (isHasty ? 2_000 : 30);
      if (isHasty) {
        // No longer than its own stretch of the load lasts, be the gateway ever so quick.
        const last = (number / kills) * LOADED * creates;
        const isTime = () => performance.now() > readyAt + waitMs || ledger.acknowledged() >= last;
        await until(isTime, stuck);
      } else {
        await recovered(readyAt);
        await until(() => ledger.acknowledged() >= from, stuck);
        await pause(waitMs);
      }
      await replace(number, isHasty);
    }
    await recovered(performance.now());
    return { kills: done, recoveriesMs };
  };

  return { gateway: () => gateway, over: run() };
};
