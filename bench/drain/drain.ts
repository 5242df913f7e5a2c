/** `npm run bench:drain`: docs/benchmarks.md says what is measured. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createAuthority } from '../../scripts/receiver/authority.js';
import { eventBody } from '../../plugins/webhooks/envelope.js';
import { generateSecret } from '../../plugins/webhooks/secret.js';
import { keysOf, signatureHeaders } from '../../plugins/webhooks/signature.js';
import { sampleEvent } from '../../src/plugin/testing.js';
import { buildChildren, childScript } from '../build.js';
import { type Child, openChild } from '../child/open-child.js';
import { cleanUpOnSignals, startCleanup } from '../cleanup.js';
import { type Database, startDatabase } from '../run/start-database.js';
import { median } from '../statistics.js';
import { openBacklog, temporaryFolder } from './backlog.js';
import { bareGot, bareUndici, type Client, ownSender, type Place } from './clients.js';
import type { CountingOrders } from './receiver.js';

interface Round {
  readonly perSecond: number;
  /** Of this process, and of the database, for each event, in microseconds. */
  readonly cpuMicros: number;
  readonly mongodMicros: number;
}

interface World extends Place {
  readonly database: Database;
  readonly receiver: Child<CountingOrders>;
}

interface Contest {
  readonly name: string;
  readonly run: (events: number) => Promise<Round>;
}

const tell = (line: string): void => void process.stderr.write(`${line}\n`);

const TICK_MICROS = 10_000;

/** User and system time, from /proc: proc(5), fields 14 and 15. */
const cpuMicrosOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROS;
};

/** What it takes until the receiver has all, and until all is noted. */
const measure = async (
  { database, receiver }: World,
  events: number,
  work: () => Promise<unknown>,
): Promise<Round> => {
  const [cpu, mongod, start] = [process.cpuUsage(), cpuMicrosOf(database.pid), performance.now()];
  const working = work();
  const distinct = await receiver.ask('await', events);
  const seconds = (performance.now() - start) / 1_000;
  await working;
  const { user, system } = process.cpuUsage(cpu);
  if (distinct !== events) throw new Error(`${distinct} of ${events} deliveries came.`);
  return {
    perSecond: events / seconds,
    cpuMicros: (user + system) / events,
    mongodMicros: (cpuMicrosOf(database.pid) - mongod) / events,
  };
};

const draining = (world: World, registrations: number, batch: number): Contest => ({
  name: `drain to ${registrations}, ${batch > 50 ? 'large' : 'small'} commits`,
  run: async (deliveries) => {
    const uri = world.database.uriOf(`drain-${randomUUID()}`);
    const backlog = await openBacklog({ ...world, uri, registrations, deliveries, batch });
    try {
      return await measure(world, deliveries, () => {
        backlog.engine.start();
        return backlog.drained();
      });
    } finally {
      await backlog.close();
    }
  },
});

/** The same bytes and signatures, without engine and database. */
const looping = (
  world: World,
  clients: number,
  open: (place: Place, clients: number) => Client,
): Contest => {
  const { name } = open(world, clients);
  const keys = keysOf(generateSecret());
  return {
    name: `loop of ${name}, ${clients} at once`,
    run: async (events) => {
      const client = open(world, clients);
      let left = events;
      const one = async (): Promise<void> => {
        while (left-- > 0) {
          const id = randomUUID();
          const body = eventBody(sampleEvent('user.created'));
          const headers = {
            'Content-Type': 'application/json',
            'X-Service-Event': 'user.created',
            'X-Service-Delivery': id,
            ...signatureHeaders(keys, { id, body, at: new Date() }),
          };
          await client.post({ headers, body });
        }
      };
      const round = await measure(world, events, () =>
        Promise.all(Array.from({ length: clients }, one)),
      );
      await client.close();
      return round;
    },
  };
};

const inWords = (name: string, rounds: readonly Round[]): string => {
  const numbers = (field: keyof Round): string => {
    const values = rounds.map((round) => round[field]);
    const [low, high] = [Math.min(...values), Math.max(...values)].map(Math.round);
    return `${Math.round(median(values))} (${low}–${high})`.padStart(22);
  };
  return `${name.padEnd(34)}${numbers('perSecond')}${numbers('cpuMicros')}${numbers('mongodMicros')}`;
};

const openWorld = async (cleanup: ReturnType<typeof startCleanup>): Promise<World> => {
  await buildChildren();
  const { folder, remove } = await temporaryFolder();
  cleanup.add(remove);
  const database = await startDatabase(join(folder, 'data'), cleanup);
  const authority = createAuthority('Rollgate benchmark');
  const ca = join(folder, 'authority.pem');
  await writeFile(ca, authority.certificate);
  const receiver = openChild<CountingOrders>(childScript('drain/receiver.js'));
  cleanup.add(receiver.stop);
  const port = await receiver.ask('open', authority.issue(['localhost']));
  return { database, receiver, ca, origin: `https://localhost:${port}` };
};

const run = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      events: { type: 'string', default: '20000' },
      rounds: { type: 'string', default: '3' },
      only: { type: 'string', default: '' },
      json: { type: 'string' },
    },
  });
  const [events, rounds] = [Number(values.events), Number(values.rounds)];
  const cleanup = startCleanup(tell);
  cleanUpOnSignals(cleanup, tell);
  try {
    const world = await openWorld(cleanup);
    const contests = [
      draining(world, 1, 40),
      draining(world, 1, 500),
      draining(world, 20, 40),
      draining(world, 20, 500),
      looping(world, 8, bareUndici),
      looping(world, 64, bareUndici),
      looping(world, 64, ownSender),
      looping(world, 64, bareGot),
    ].filter(({ name }) => name.includes(values.only));
    const results = new Map<string, Round[]>(contests.map(({ name }) => [name, []]));
    for (let round = 0; round <= rounds; round += 1) {
      for (const { name, run: runContest } of contests) {
        const found = await runContest(round === 0 ? Math.ceil(events / 10) : events);
        tell(`${round === 0 ? 'warm-up' : `round ${round}`}  ${inWords(name, [found])}`);
        if (round > 0) results.get(name)?.push(found);
      }
    }
    const head = ['events/s', 'CPU µs an event', 'mongod µs'].map((each) => each.padStart(22));
    const lines = [...results].map(([name, each]) => inWords(name, each));
    process.stdout.write(`\n${' '.repeat(34)}${head.join('')}\n${lines.join('\n')}\n`);
    if (values.json !== undefined)
      await writeFile(values.json, `${JSON.stringify(Object.fromEntries(results), null, 2)}\n`);
  } finally {
    await cleanup.run();
  }
};

await run();
