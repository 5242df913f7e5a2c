import { parseArgs } from 'node:util';
import type { Cleanup } from '../../tooling/cleanup.js';
import type { Kill } from './killer.js';
import { ownDatabase } from './own-database.js';
import { type CrashReport, runCrash } from './run-crash.js';
import { runScript } from './run-script.js';
import { say, seconds, tellProblems } from './tell.js';

const HELP = `npm run crash [-- options]

Users are made over HTTP while the gateway is killed (kill -9) again and again; afterwards what the
clients and a webhook receiver were told is held against the database. Exits 1 on any violation.

  --creates N   users to make (10000)       --clients N   who make them (24)
  --kills N     kills on the way (30)       --tenants N   organisations they are of (2)
  --seed N      the same moments again      --mongodb URI a database to use; else one of its own
`;

const { values } = parseArgs({
  options: {
    creates: { type: 'string', default: '10000' },
    clients: { type: 'string', default: '24' },
    kills: { type: 'string', default: '30' },
    tenants: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    mongodb: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const tellKill = ({ number, acknowledged, isHasty, startMs }: Kill): void =>
  say(
    `  kill ${String(number).padStart(3)}  at ${String(acknowledged).padStart(6)} users` +
      `  next gateway ready after ${seconds(startMs)}${isHasty ? '  (hasty)' : ''}`,
  );

const summarise = (report: CrashReport, ms: number): void => {
  const { kills, events, deliveries, repeats, retries, slowestMs, recoveriesMs, problems } = report;
  say('');
  say(`  users acknowledged      ${values.creates}, asked again ${retries} times`);
  say(`  kills                   ${kills.length}`);
  say(`  events in the logs      ${events}`);
  say(`  deliveries received     ${deliveries}, of which ${repeats} again under their id`);
  say(`  slowest tenant          ${seconds(Math.max(...recoveriesMs))} after a restart`);
  say(`  slowest create          ${seconds(slowestMs)} from the first request to the answer`);
  say(`  took                    ${seconds(ms)}`);
  say('');
  tellProblems(problems);
};

const run = async (cleanUp: Cleanup): Promise<number> => {
  const began = performance.now();
  say(`Seed ${values.seed}: ${values.creates} creates, ${values.kills} kills.`);
  const report = await runCrash(
    {
      mongodbUri: values.mongodb ?? (await ownDatabase(say, cleanUp)),
      creates: Number(values.creates),
      clients: Number(values.clients),
      kills: Number(values.kills),
      tenants: Number(values.tenants),
      seed: Number(values.seed),
      told: tellKill,
    },
    cleanUp,
  );
  summarise(report, performance.now() - began);
  return report.problems.length === 0 ? 0 : 1;
};

if (values.help) say(HELP);
else process.exitCode = await runScript(run);
