import { Agent } from 'undici';
import { median, quantile } from '../../tooling/statistics.js';
import type { Cleanup } from '../../tooling/cleanup.js';
import { userCreator } from './create-users.js';
import { type Flooder, openFlooder } from './flooder.js';
import { openScene } from './scene.js';

export interface FairnessPlan {
  readonly mongodbUri: string;
  /** Creates that the flooding tenant keeps under way: hundreds fill every batch. */
  readonly flood: number;
  /** Of the other tenant in each phase, one after the other. */
  readonly requests: number;
  readonly rounds: number;
}

/** From request to answer, in milliseconds. */
export interface Times {
  readonly p50: number;
  readonly p99: number;
}

/** The same requests without the flood and with it, one right after the other. */
export interface Round {
  readonly quiet: Times;
  readonly flooded: Times;
  /** Creates a second of the flooding tenant meanwhile. */
  readonly floodRate: number;
}

export interface Fairness {
  readonly rounds: readonly Round[];
  /** How many times its quiet p99 the other tenant's is beside the flood: the rounds' median. */
  readonly ratio: number;
}

const WARM_UP = 50;

/**
 * How long a tenant waits for its creates, alone and beside one that floods the gateway. Absolute
 * times move with whatever else the machine does, so only ratios within a round are compared.
 */
export const measureFairness = async (plan: FairnessPlan, cleanUp: Cleanup): Promise<Fairness> => {
  const scene = await openScene(plan.mongodbUri, cleanUp);
  const { url } = await scene.start();
  const [calm, flooding] = await Promise.all([
    scene.makeSilentTenant(url, 'calm'),
    scene.makeSilentTenant(url, 'flooding'),
  ]);
  const dispatcher = new Agent({ connections: 1 });
  cleanUp.defer(() => dispatcher.destroy());
  const create = userCreator({ dispatcher, url, ...calm, name: 'calm' });
  const flooder = openFlooder({ url, ...flooding, width: plan.flood }, cleanUp);

  // Whatever is slow the first time is not what this is about.
  await playRound(create, flooder, WARM_UP);
  const rounds: Round[] = [];
  while (rounds.length < plan.rounds) rounds.push(await playRound(create, flooder, plan.requests));
  return { rounds, ratio: median(rounds.map(({ flooded, quiet }) => flooded.p99 / quiet.p99)) };
};

const playRound = async (
  create: () => Promise<void>,
  flooder: Flooder,
  requests: number,
): Promise<Round> => {
  const quiet = await timesOf(create, requests);
  await flooder.begin();
  const flooded = await timesOf(create, requests);
  return { quiet, flooded, floodRate: await flooder.end() };
};

const timesOf = async (create: () => Promise<void>, requests: number): Promise<Times> => {
  const taken: number[] = [];
  while (taken.length < requests) {
    const began = performance.now();
    await create();
    taken.push(performance.now() - began);
  }
  return { p50: quantile(taken, 0.5), p99: quantile(taken, 0.99) };
};
