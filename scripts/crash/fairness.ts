import { parseArgs } from 'node:util';
import type { Cleanup } from '../../tooling/cleanup.js';
import { type Fairness, measureFairness, type Times } from './measure-fairness.js';
import { ownDatabase } from './own-database.js';
import { runScript } from './run-script.js';

const HELP = `npm run fairness [-- options]

One tenant keeps hundreds of creates under way; another makes one user after the other and must
hardly feel it. Exits 1 where its p99 is more than three times what it is without the flood.

  --flood N     creates under way (300)      --requests N  of the other tenant in a phase (200)
  --rounds N    quiet and flooded (5)        --mongodb URI a database to use; else one of its own
`;

const MOST = 3;

const { values } = parseArgs({
  options: {
    flood: { type: 'string', default: '300' },
    requests: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '5' },
    mongodb: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const inMs = ({ p50, p99 }: Times): string =>
  `${p50.toFixed(1).padStart(8)} ${p99.toFixed(1).padStart(8)}`;

const show = ({ rounds, ratio }: Fairness): void => {
  say('');
  say('          quiet, ms         flooded, ms              the flood');
  say('  round      p50      p99      p50      p99  p99 ×    creates/s');
  for (const [index, { quiet, flooded, floodRate }] of rounds.entries())
    say(
      `  ${String(index + 1).padStart(5)} ${inMs(quiet)} ${inMs(flooded)}` +
        `  ${(flooded.p99 / quiet.p99).toFixed(1).padStart(5)}  ${floodRate.toFixed(0).padStart(11)}`,
    );
  say('');
  say(`  ${ratio <= MOST ? '✔' : '✘'} p99 beside the flood: ${ratio.toFixed(2)} × the quiet one`);
};

const run = async (cleanUp: Cleanup): Promise<number> => {
  const fairness = await measureFairness(
    {
      mongodbUri: values.mongodb ?? (await ownDatabase(say, cleanUp)),
      flood: Number(values.flood),
      requests: Number(values.requests),
      rounds: Number(values.rounds),
    },
    cleanUp,
  );
  show(fairness);
  return fairness.ratio <= MOST ? 0 : 1;
};

if (values.help) say(HELP);
else process.exitCode = await runScript(run);
