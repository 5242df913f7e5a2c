import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ownDatabase } from '../crash/own-database.js';
import { runScript } from '../crash/run-script.js';
import { openScene } from '../crash/scene.js';
import type { Cleanup } from '../../tooling/cleanup.js';
import { TENANT_KINDS, type TenantKind } from './known-failures.js';
import { runSuite, type SuiteRun } from './run-suite.js';

const SUITES = ['okta-spec', 'idp-corpus', 'scim2-tester', 'entra-postman', 'scim-sanity'];

const KINDS = Object.keys(TENANT_KINDS) as readonly TenantKind[];

const HELP = `npm run conformance [-- options] [suite …]

Starts a gateway and runs each suite in two fresh tenants, one with the default settings and one
with scim.strict_errors, one after the other; prints a table for each kind of tenant. Exits 1 if a
check fails that docs/conformance.md does not explain.

Suites: ${SUITES.join(', ')}
They are not part of Rollgate: their folder is ROLLGATE_SUITES, else ../shared/suites.

  --verbose, -v   show what the suites say
`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    verbose: { type: 'boolean', short: 'v', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const folder =
  process.env['ROLLGATE_SUITES'] ??
  fileURLToPath(new URL('../../../shared/suites', import.meta.url));

const isGood = ({ unexplained, outdated }: SuiteRun): boolean =>
  unexplained === 0 && outdated.length === 0;

const row = (run: SuiteRun): string =>
  [
    isGood(run) ? '✔' : '✘',
    run.suite.padEnd(14),
    `${run.passed} passed`.padStart(12),
    `${run.failed} failed`.padStart(11),
    `${run.known.length} known`.padStart(10),
    `${(run.ms / 1_000).toFixed(0)} s`.padStart(6),
  ].join(' ');

const tellFaults = (run: SuiteRun): void => {
  const place = `${run.suite} (${run.kind})`;
  if (run.unexplained > 0) for (const line of run.lines) say(`    ${place}: ${line}`);
  for (const { line } of run.outdated)
    say(`    ${place}: "${line}" passes now: take it off the list of known failures`);
};

const runAll = async (suites: readonly string[], cleanUp: Cleanup): Promise<number> => {
  const scene = await openScene(await ownDatabase(say, cleanUp), cleanUp);
  const { url } = await scene.start();
  const tell = values.verbose ? (line: string) => say(`  ${line}`) : () => undefined;
  const runs: SuiteRun[] = [];
  for (const kind of KINDS) {
    for (const suite of suites) {
      say(`Running ${suite} in a ${kind} tenant …`);
      const { slug, key } = await scene.makeSilentTenant(url, `${suite}-${kind}`, {
        room_provisioning: 'automatic',
        ...TENANT_KINDS[kind],
      });
      const target = { kind, baseUrl: `${url}/v1/${slug}/scim/v2`, token: key };
      runs.push(await runSuite({ folder, suite }, target, tell));
    }
  }
  for (const kind of KINDS) {
    say(`\nIn a ${kind} tenant:`);
    runs.filter((run) => run.kind === kind).forEach((run) => say(row(run)));
  }
  runs.forEach(tellFaults);
  return runs.every(isGood) ? 0 : 1;
};

const main = async (): Promise<number> => {
  if (values.help) {
    say(HELP);
    return 0;
  }
  const suites = positionals.length > 0 ? positionals : SUITES;
  const unknown = suites.find((suite) => !SUITES.includes(suite));
  if (unknown !== undefined) {
    say(`There is no suite "${unknown}". There are: ${SUITES.join(', ')}`);
    return 2;
  }
  if (!existsSync(folder)) {
    say(`No suites are at ${folder}: nothing was run. Name their folder in ROLLGATE_SUITES.`);
    return 0;
  }
  return runScript((cleanUp) => runAll(suites, cleanUp));
};

process.exitCode = await main();
