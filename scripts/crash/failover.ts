import { parseArgs } from 'node:util';
import type { Cleanup } from '../../tooling/cleanup.js';
import { type Failover, type FailoverReport, runFailover } from './run-failover.js';
import { runScript } from './run-script.js';
import { say, seconds, tellProblems } from './tell.js';
import { openThreeMembers } from './three-members.js';

const HELP = `npm run failover [-- options]

Users are made over HTTP on a database of three members, whose primary is killed (kill -9) or frozen
again and again; afterwards what the clients and a webhook receiver were told is held against the
database. Exits 1 on any violation.

  --creates N    users to make (5000)       --clients N   who make them (24)
  --failovers N  how often (6)              --tenants N   organisations they are of (2)
  --seed N       the same moments again
`;

const { values } = parseArgs({
  options: {
    creates: { type: 'string', default: '5000' },
    clients: { type: 'string', default: '24' },
    failovers: { type: 'string', default: '6' },
    tenants: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const tell = ({ number, blow, acknowledged, outageMs, recoveryMs }: Failover): void =>
  say(
    `  ${String(number).padStart(2)} ${blow.padEnd(6)}  at ${String(acknowledged).padStart(6)} users` +
      `  it took writes again after ${seconds(outageMs)}  all answered ${seconds(recoveryMs)} later`,
  );

const summarise = ({
  events,
  deliveries,
  repeats,
  retries,
  slowestMs,
  problems,
}: FailoverReport) => {
  say('');
  say(`  users acknowledged   ${values.creates}, asked again ${retries} times`);
  say(`  events in the logs   ${events}`);
  say(`  deliveries received  ${deliveries}, of which ${repeats} again under their id`);
  say(`  slowest create       ${seconds(slowestMs)} from the first request to the answer`);
  say('');
  tellProblems(problems);
};

const run = async (cleanUp: Cleanup): Promise<number> => {
  say(`Seed ${values.seed}: ${values.creates} creates, ${values.failovers} failovers.`);
  const report = await runFailover(
    {
      database: await openThreeMembers(say, cleanUp),
      creates: Number(values.creates),
      clients: Number(values.clients),
      failovers: Number(values.failovers),
      blows: ['kill', 'freeze'],
      tenants: Number(values.tenants),
      seed: Number(values.seed),
      told: tell,
    },
    cleanUp,
  );
  summarise(report);
  return report.problems.length === 0 ? 0 : 1;
};

if (values.help) say(HELP);
else process.exitCode = await runScript(run);
