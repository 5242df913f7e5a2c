import { parseArgs } from 'node:util';
import { type Cleanup, runWithCleanup } from '../shared/cleanup.js';
import { type FuzzBounds, openFuzzTarget } from '../shared/schemathesis/fuzz-document.js';
import { openSchemathesis } from '../shared/schemathesis/schemathesis-program.js';
import { startDatabase } from '../shared/start-database.js';

const HELP = `npm run schemathesis [-- options] [credential …]

Starts a gateway, and has schemathesis send generated requests to each operation of its OpenAPI
document: with a key for each scope, with a key for all, and with the admin token. Exit code 1 if a
response differs from the document, or a request is refused or accepted against it.

Credentials: a scope, "all scopes", "admin token"; by default, each of them.

  --seconds <n>    per credential, 60 by default
  --attempts <n>   cases for each operation, 50 by default
  --seed <n>       1 by default
`;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '60' },
    attempts: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const runAll = async (program: string, bounds: FuzzBounds, cleanup: Cleanup): Promise<number> => {
  const { uri } = await startDatabase(cleanup);
  const { runs, fuzz } = await openFuzzTarget(program, uri, cleanup);
  let failures = 0;
  for (const run of runs) {
    if (positionals.length > 0 && !positionals.includes(run.name)) continue;
    const { passed, output } = await fuzz(run, bounds);
    print(`${passed ? '✔' : '✘'} ${run.name}`);
    if (!passed) print(output);
    failures += passed ? 0 : 1;
  }
  return failures === 0 ? 0 : 1;
};

const main = async (): Promise<number> => {
  if (values.help) {
    print(HELP);
    return 0;
  }
  const program = await openSchemathesis();
  if (program === undefined) return 0;
  const [seconds, attempts, seed] = [values.seconds, values.attempts, values.seed].map(Number);
  if (!seconds || !attempts || seed === undefined) {
    print(HELP);
    return 2;
  }
  return runWithCleanup(print, (cleanup) =>
    runAll(program, { seconds, attempts, seed, reportsRefusals: true }, cleanup),
  );
};

process.exitCode = await main();
