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
import {
  defineScenario,
  flag,
  MONGODB,
  openRunContext,
  text,
  UsageError,
} from '../shared/faults/scenario.js';
import { numberColumn, tableOf, textColumn } from '../shared/tables.js';

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
  suite: string,
  { kind, baseUrl, token }: Target,
  onLine: (line: string) => void,
): Promise<SuiteRun> => {
  const began = performance.now();
  const child = spawn('bash', [join(FOLDER, suite, 'run.sh')], {
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

const FOLDER =
  process.env['ROLLGATE_SUITES'] ??
  fileURLToPath(new URL('../../../shared/suites', import.meta.url));

const columns = [
  textColumn<SuiteRun>('suite', ({ suite }) => suite),
  textColumn<SuiteRun>('tenant', ({ kind }) => kind),
  numberColumn<SuiteRun>('passed', ({ passed }) => passed),
  numberColumn<SuiteRun>('failed', ({ failed }) => failed),
  numberColumn<SuiteRun>('known', ({ known }) => known.length),
  numberColumn<SuiteRun>('seconds', ({ ms }) => ms / 1_000),
];

const problemsOf = ({ suite, kind, unexplained, lines, outdated }: SuiteRun): readonly string[] =>
  [
    ...(unexplained > 0 ? [`${unexplained} failures are not explained`, ...lines] : []),
    ...outdated.map(({ line }) => `"${line}" passes now; remove it from known-failures.ts`),
  ].map((problem) => `${suite} (${kind}): ${problem}`);

const conformance = defineScenario({
  name: 'conformance',
  summary: `Starts a gateway and runs each suite in two new tenants, one with the default settings and one
with scim.strict_errors, one after the other. Exit code 1 if a check fails that docs/conformance.md
does not explain.

Suites: ${SUITES.join(', ')}
They are not part of Rollgate: their folder is ROLLGATE_SUITES, or ../shared/suites by default.`,
  options: {
    suites: text(SUITES.join(), 'suites, separated by commas'),
    verbose: flag('print the output of the suites'),
    mongodb: MONGODB,
  },
  words: 'suites',
  success: 'Every failure is explained in docs/conformance.md.',
  run: async ({ suites: list, verbose, mongodb }, run) => {
    const suites = list.split(',');
    const unknown = suites.find((suite) => !SUITES.includes(suite));
    if (unknown !== undefined) throw new UsageError(`Unknown suite "${unknown}".`);
    if (!existsSync(FOLDER))
      return { problems: [], inconclusive: `no suites found in ${FOLDER}; set ROLLGATE_SUITES` };
    const { startGateway, createTenant } = await openRunContext(mongodb, run);
    const { url } = await startGateway();
    const onLine = verbose ? (line: string) => run.report(`  ${line}`) : () => undefined;
    const runs: SuiteRun[] = [];
    for (const kind of KINDS)
      for (const suite of suites) {
        run.report(`Running ${suite} in a ${kind} tenant …`);
        const { slug, key } = await createTenant(url, `${suite}-${kind}`, {
          room_provisioning: 'automatic',
          ...TENANT_KINDS[kind],
        });
        const target = { kind, baseUrl: `${url}/v1/${slug}/scim/v2`, token: key };
        runs.push(await runSuite(suite, target, onLine));
      }
    run.report(tableOf('\nChecks', runs, columns));
    return { problems: runs.flatMap(problemsOf) };
  },
});

process.exitCode = await conformance.main(process.argv.slice(2));
