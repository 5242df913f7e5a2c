import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  KNOWN_FAILURES,
  type KnownFailure,
  type TenantKind,
  TENANT_KINDS,
} from './known-failures.js';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Cleanup, runWithCleanup } from '../shared/cleanup.js';
import { openContext } from '../shared/faults/context.js';
import { startDatabase } from '../shared/start-database.js';

interface SuiteRun {
  readonly suite: string;
  readonly kind: TenantKind;
  readonly passed: number;
  readonly failed: number;
  /** Failures that the suite printed and no entry of the list explains. */
  readonly lines: readonly string[];
  /** Known failures that happened. */
  readonly known: readonly KnownFailure[];
  /** The number of failures that no entry of the list explains. */
  readonly unexplained: number;
  /** Entries of the list that did not fail, and must be removed. */
  readonly outdated: readonly KnownFailure[];
  readonly ms: number;
}

interface Target {
  readonly kind: TenantKind;
  readonly baseUrl: string;
  readonly token: string;
}

/** The beginnings of lines that report a failure. */
const FAILURE = /^(?:FAIL|FAILED|ERROR|CRITICAL|DEVIATION|✗|✘|not ok)\b/i;
const SUMMARY = /^(\d+) passed, (\d+) failed/;

/** Runs one suite against a tenant; calls `onLine` with every line of its output. */
const runSuite = async (
  { folder, suite }: { readonly folder: string; readonly suite: string },
  { kind, baseUrl, token }: Target,
  onLine: (line: string) => void,
): Promise<SuiteRun> => {
  const began = performance.now();
  const child = spawn('bash', [join(folder, suite, 'run.sh')], {
    env: { ...process.env, BASE_URL: baseUrl, TOKEN: token, VERBOSE: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const lines: string[] = [];
  let counts = { passed: 0, failed: 1 };
  for await (const line of createInterface({ input: child.stdout })) {
    onLine(line);
    const [, passed, failed] = SUMMARY.exec(line) ?? [];
    if (passed !== undefined) counts = { passed: Number(passed), failed: Number(failed) };
    else if (FAILURE.test(line.trim())) lines.push(line.trim());
  }
  await ended;
  return {
    suite,
    kind,
    ...counts,
    ...explain({ suite, kind }, lines, counts.failed),
    ms: performance.now() - began,
  };
};

const explain = (
  { suite, kind }: Pick<SuiteRun, 'suite' | 'kind'>,
  lines: readonly string[],
  failed: number,
) => {
  const listed = KNOWN_FAILURES.filter(
    (known) => known.suite === suite && known.tenants.includes(kind),
  );
  const explains = ({ line: part }: KnownFailure, line: string): boolean => line.includes(part);
  const explained = lines.filter((line) => listed.some((known) => explains(known, line)));
  const happened = listed.filter((known) => lines.some((line) => explains(known, line)));
  return {
    lines: lines.filter((line) => !explained.includes(line)),
    known: happened,
    unexplained: Math.max(0, failed - explained.length),
    outdated: listed.filter((known) => !happened.includes(known)),
  };
};

const SUITES = ['okta-spec', 'idp-corpus', 'scim2-tester', 'entra-postman', 'scim-sanity'];

const KINDS = Object.keys(TENANT_KINDS) as readonly TenantKind[];

const HELP = `npm run conformance [-- options] [suite …]

Starts a gateway and runs each suite in two new tenants, one with the default settings and one
with scim.strict_errors, one after the other; prints a table for each kind of tenant. Exit code 1
if a check fails that docs/conformance.md does not explain.

Suites: ${SUITES.join(', ')}
They are not part of Rollgate: their folder is ROLLGATE_SUITES, or ../shared/suites by default.

  --verbose, -v   print the output of the suites
`;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

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

const isPassed = ({ unexplained, outdated }: SuiteRun): boolean =>
  unexplained === 0 && outdated.length === 0;

const row = (run: SuiteRun): string =>
  [
    isPassed(run) ? '✔' : '✘',
    run.suite.padEnd(14),
    `${run.passed} passed`.padStart(12),
    `${run.failed} failed`.padStart(11),
    `${run.known.length} known`.padStart(10),
    `${(run.ms / 1_000).toFixed(0)} s`.padStart(6),
  ].join(' ');

const printProblems = (run: SuiteRun): void => {
  const suite = `${run.suite} (${run.kind})`;
  if (run.unexplained > 0) for (const line of run.lines) print(`    ${suite}: ${line}`);
  for (const { line } of run.outdated)
    print(`    ${suite}: "${line}" passes now; remove it from known-failures.ts`);
};

const runAll = async (suites: readonly string[], cleanup: Cleanup): Promise<number> => {
  const { uri } = await startDatabase(cleanup, print);
  const { startGateway, createTenant } = await openContext(uri, cleanup);
  const { url } = await startGateway();
  const onLine = values.verbose ? (line: string) => print(`  ${line}`) : () => undefined;
  const runs: SuiteRun[] = [];
  for (const kind of KINDS) {
    for (const suite of suites) {
      print(`Running ${suite} in a ${kind} tenant …`);
      const { slug, key } = await createTenant(url, `${suite}-${kind}`, {
        room_provisioning: 'automatic',
        ...TENANT_KINDS[kind],
      });
      const target = { kind, baseUrl: `${url}/v1/${slug}/scim/v2`, token: key };
      runs.push(await runSuite({ folder, suite }, target, onLine));
    }
  }
  for (const kind of KINDS) {
    print(`\nIn a ${kind} tenant:`);
    runs.filter((run) => run.kind === kind).forEach((run) => print(row(run)));
  }
  runs.forEach(printProblems);
  return runs.every(isPassed) ? 0 : 1;
};

const main = async (): Promise<number> => {
  if (values.help) {
    print(HELP);
    return 0;
  }
  const suites = positionals.length > 0 ? positionals : SUITES;
  const unknown = suites.find((suite) => !SUITES.includes(suite));
  if (unknown !== undefined) {
    print(`Unknown suite "${unknown}". Suites: ${SUITES.join(', ')}`);
    return 2;
  }
  if (!existsSync(folder)) {
    print(`No suites found in ${folder}, nothing was run. Set ROLLGATE_SUITES to their folder.`);
    return 0;
  }
  return runWithCleanup(print, (cleanup) => runAll(suites, cleanup));
};

process.exitCode = await main();
