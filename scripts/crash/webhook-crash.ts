import { parseArgs } from 'node:util';
import { ownDatabase } from './own-database.js';
import { runScript } from './run-script.js';
import { runWebhookCrash } from './run-webhook-crash.js';

const HELP = `npm run crash:webhooks [-- options]

Events are made at two gateways and owed to many registrations while one gateway after the other is
killed (kill -9); afterwards what the receiver had is held against the log. Exits 1 on any violation.

  --events N         events to make (3000)       --kills N   kills on the way (10)
  --registrations N  to each of which all are owed (20)
  --seed N           the same moments again      --mongodb URI   a database to use; else its own
`;

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '3000' },
    kills: { type: 'string', default: '10' },
    registrations: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    mongodb: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (values.help) say(HELP);
else
  process.exitCode = await runScript(async (cleanUp) => {
    say(`Seed ${values.seed}: ${values.events} events to ${values.registrations} registrations.`);
    const report = await runWebhookCrash(
      {
        mongodbUri: values.mongodb ?? (await ownDatabase(say, cleanUp)),
        events: Number(values.events),
        kills: Number(values.kills),
        registrations: Number(values.registrations),
        seed: Number(values.seed),
        told: say,
      },
      cleanUp,
    );
    const { deliveries, repeats, mostRepeats, problems } = report;
    say(`  deliveries received  ${deliveries}, of which ${repeats} again under their id`);
    say(`  fewer may come again than  ${mostRepeats}, kills × in-flight cap`);
    for (const problem of problems) say(`  ✘ ${problem}`);
    if (problems.length === 0) say('  ✔ Nothing lost, nothing under two ids.');
    return problems.length === 0 ? 0 : 1;
  });
