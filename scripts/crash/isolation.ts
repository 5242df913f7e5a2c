import { parseArgs } from 'node:util';
import type { Cleanup } from '../../tooling/cleanup.js';
import { GOOD, type Isolation, type Latencies, measureIsolation } from './measure-isolation.js';
import { ownDatabase } from './own-database.js';
import { runScript } from './run-script.js';

const HELP = `npm run isolation [-- options]

Of 20 webhook receivers one never answers, one sends a byte a second and one a body without end; the
other ${GOOD} must hardly feel it. Exits 1 where their p95 is 2 s or more, or memory grows; 2 where the
machine is too busy to tell.

  --events N     made beside them, each owed to all of them (1500)
  --rate N       made a second (25), while no more than…
  --at-once N    …so many are on their way (8)
  --mongodb URI  a database to use; else one of its own
`;

const MOST_MS = 2_000;
/** What a heap moves by itself; a body of 100 MB that is kept is more. */
const MOST_GROWN_MB = 64;

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1500' },
    rate: { type: 'string', default: '25' },
    'at-once': { type: 'string', default: '8' },
    mongodb: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const inMs = ({ p50, p95, p99 }: Latencies): string =>
  [p50, p95, p99].map((ms) => ms.toFixed(0).padStart(7)).join('');
const mark = (isHeld: boolean): string => (isHeld ? '✔' : '✘');

/** Shows it; answers with the exit code. */
const show = ({ perSecond, alone, beside, grownMb, peakMb, misbehaved }: Isolation): number => {
  const [isSwift, isFlat] = [beside.p95 < MOST_MS, grownMb < MOST_GROWN_MB];
  const isTold = isSwift || alone.p95 < MOST_MS / 4;
  say('');
  say(`  commit to received, ms     p50    p95    p99`);
  say(`  alone                  ${inMs(alone)}`);
  say(`  beside the three       ${inMs(beside)}   at ${perSecond.toFixed(0)} deliveries/s`);
  for (const [name, requests] of Object.entries(misbehaved))
    say(`  requests of the one that ${name}: ${requests}`);
  say('');
  say(`  ${mark(isSwift)} p95 ${beside.p95.toFixed(0)} ms, less than ${MOST_MS}`);
  say(
    `  ${mark(isFlat)} memory grew by ${grownMb.toFixed(0)} MB, less than ${MOST_GROWN_MB}; ` +
      `the most was ${peakMb.toFixed(0)} MB`,
  );
  if (!isTold) say('  The machine is too busy: they waited long without the three.');
  return !isTold ? 2 : isSwift && isFlat ? 0 : 1;
};

const run = async (cleanUp: Cleanup): Promise<number> => {
  const isolation = await measureIsolation(
    {
      mongodbUri: values.mongodb ?? (await ownDatabase(say, cleanUp)),
      events: Number(values.events),
      perSecond: Number(values.rate),
      atOnce: Number(values['at-once']),
    },
    cleanUp,
  );
  return show(isolation);
};

if (values.help) say(HELP);
else process.exitCode = await runScript(run);
