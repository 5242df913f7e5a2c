import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';

/**
 * `npm run mutation`: changes the code (Stryker) and reports which changes no test notices; see
 * test/README.md. npx installs Stryker, since it is run rarely.
 */

const FOLDER = 'node_modules/.cache/mutation';
const REPORTS = `${FOLDER}/reports`;
const SCORES = 'docs/mutation.json';
/** The last version for Node.js 20, and what it imports in the versions of this repository. */
const PACKAGES = [
  '@stryker-mutator/core@9.6.1',
  '@stryker-mutator/vitest-runner@9.6.1',
  'typescript@5.9.3',
  'vitest@4.1.12',
].flatMap((name) => ['-p', name]);

/** The tests of folders, in `test`, that say most in a short time; the first folder that fits counts. */
const TESTS: Readonly<Record<string, string>> = {
  'connectors/csv': 'connectors/csv',
  'connectors/rest': 'connectors/rest*',
  connectors: 'connectors/*',
  'plugins/connectors/guard': 'plugins/connectors/{find-dangers,mass-changes}',
  'plugins/connectors/identify': 'plugins/connectors/{runs,connector-histories}',
  'plugins/connectors/mapping': 'plugins/connectors/mapping',
  'plugins/connectors/plan': 'plugins/connectors/{plan-*,runs}',
  'plugins/connectors': 'plugins/connectors/*',
  'plugins/webhooks': 'plugins/webhooks/*',
  'src/cli': 'cli/*',
  'src/client': 'client/*',
  'src/doctor': 'doctor/*',
  'src/domain': 'domain/**/*',
  'src/explain': '{explain/*,journeys/explain*}',
  'src/http': 'http/**/*',
  'src/pipeline': 'pipeline/*',
  'src/plugin': 'plugins/*',
  'src/ports': 'plugins/{memory-storage,plugin-host}',
  'src/process': '{house/{logger,shutdown-stack},config/*}',
  'src/routes': '{api/*,http/routing/*}',
  'src/scim': 'scim/**/*',
  'src/secrets': 'house/local-secrets',
  'src/sms': '{house/{number-vault,sms-sweep},http/phone-numbers}',
  'src/start': 'house/{metrics,command-hint}',
  'src/store': 'store/**/*',
};

interface Mutant {
  readonly status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'Ignored';
  /** Ids of tests: those that reach it, and of these those that fail. */
  readonly coveredBy?: readonly string[];
  readonly killedBy?: readonly string[];
}

/** Stryker's, by file. */
interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly Mutant[] }>>;
  readonly testFiles: Readonly<
    Record<string, { readonly tests: readonly { readonly id: string; readonly name: string }[] }>
  >;
}

const { values: options } = parseArgs({
  options: {
    /** Folders, or files or patterns in them, separated by commas. */
    mutate: { type: 'string', default: 'src/domain,src/pipeline' },
    /** Only each N-th of their files, which is the same sample every time. */
    every: { type: 'string', default: '1' },
    concurrency: { type: 'string', default: '2' },
  },
});
const slices = options.mutate.split(',');
const every = Number(options.every);
const name = slices.join('+').replaceAll('/', '-');

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { encoding: 'utf8' }).trim();

const filesOf = (slice: string): readonly string[] =>
  git('ls-files', slice)
    .split('\n')
    .filter((path, at) => path.endsWith('.ts') && at % every === 0);

const testsOf = (slice: string): string => {
  const folder = Object.keys(TESTS).find((name) => `${slice}/`.startsWith(`${name}/`));
  if (folder === undefined) throw new Error(`TESTS in tools/mutation.ts has none for ${slice}`);
  return `test/${TESTS[folder]}.test.ts`;
};

const runStryker = (report: string): void => {
  const configuration = {
    mutate: slices.flatMap(filesOf),
    testRunner: 'vitest',
    // Else it imports the compiler, to adapt the paths in it.
    tsconfigFile: 'none.json',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'tools/mutation-tests.ts', related: false },
    coverageAnalysis: 'perTest',
    // Reports all tests that notice a change, not only the first.
    disableBail: true,
    // Each change of what runs on import, such as tables, would need all tests.
    ignoreStatic: true,
    // Tests that are slow because the machine is busy have noticed nothing.
    timeoutMS: 30_000,
    timeoutFactor: 4,
    dryRunTimeoutMinutes: 20,
    concurrency: Number(options.concurrency),
    reporters: ['progress-append-only', 'clear-text', 'json'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    jsonReporter: { fileName: report },
    tempDirName: `coverage/${name}`,
    ignorePatterns: ['coverage'],
    disableTypeChecks: false,
  };
  const configFile = `${FOLDER}/${name}.json`;
  writeFileSync(configFile, JSON.stringify(configuration));
  const env = { ...process.env, MUTATION_TESTS: JSON.stringify(slices.map(testsOf)) };
  const args = ['--yes', ...PACKAGES, 'stryker', 'run', configFile];
  const { status } = spawnSync('npx', args, { stdio: 'inherit', env });
  if (status !== 0) throw new Error('no result');
};

const readReport = (file: string): Report =>
  JSON.parse(readFileSync(`${REPORTS}/${file}`, 'utf8')) as Report;

const mutantsOf = ({ files }: Report, slice = ''): readonly Mutant[] =>
  Object.entries(files).flatMap(([file, { mutants }]) => (file.startsWith(slice) ? mutants : []));

const countStatus = (mutants: readonly Mutant[]) => {
  const count = (...some: readonly Mutant['status'][]): number =>
    mutants.filter(({ status }) => some.includes(status)).length;
  const all = count('Killed', 'Timeout', 'Survived', 'NoCoverage');
  return {
    score: Math.round((count('Killed', 'Timeout') / all) * 1_000) / 10,
    ...{ mutants: all, killed: count('Killed'), timeout: count('Timeout') },
    ...{ survived: count('Survived'), 'not reached': count('NoCoverage') },
  };
};

/** Tests, or files of tests, that reach mutants: how many they kill, if others kill each of these. */
const findReplaceable = (
  reports: readonly Report[],
  nameOf: (file: string, test: string) => string,
): readonly string[] => {
  const kills = new Map<string, number>();
  const needed = new Set<string>();
  for (const report of reports) {
    const names = new Map<string, string>();
    for (const [file, { tests }] of Object.entries(report.testFiles))
      for (const { id, name } of tests) names.set(id, nameOf(file, name));
    for (const mutant of mutantsOf(report)) {
      const named = (ids: readonly string[] = []) => new Set(ids.map((id) => names.get(id) ?? id));
      const killers = named(mutant.killedBy);
      if (killers.size === 1) killers.forEach((killer) => needed.add(killer));
      for (const one of named(mutant.coveredBy))
        kills.set(one, (kills.get(one) ?? 0) + Number(killers.has(one)));
    }
  }
  return [...kills]
    .filter(([name]) => !needed.has(name))
    .map(([name, count]) => `${count} ${name}`);
};

mkdirSync(REPORTS, { recursive: true });
const started = new Date();
const commit = git('rev-parse', '--short', 'HEAD');
runStryker(`${REPORTS}/${name}.json`);
const minutes = Math.round((Date.now() - started.getTime()) / 60_000);
const run = { every, minutes, date: started.toISOString().slice(0, 10), commit };
const report = readReport(`${name}.json`);
const scores = JSON.parse(readFileSync(SCORES, 'utf8')) as Record<string, object>;
for (const slice of slices) scores[slice] = { ...countStatus(mutantsOf(report, slice)), ...run };
writeFileSync(SCORES, `${JSON.stringify(scores, null, 2)}\n`);

const kept = readdirSync(REPORTS).map(readReport);
const replaceable = [
  ...findReplaceable(kept, (file) => file),
  ...findReplaceable(kept, (file, test) => `${file} > ${test}`),
];
writeFileSync(`${FOLDER}/replaceable.txt`, `${replaceable.join('\n')}\n`);
