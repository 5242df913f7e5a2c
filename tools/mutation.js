import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';

/**
 * `npm run mutation`: changes the code (Stryker) and reports which changes no test notices; see
 * test/README.md. npx installs Stryker, since it is run rarely.
 */

const FOLDER = 'node_modules/.cache/mutation';
/** The last version for Node.js 20, and what it imports in the versions of this repository. */
const PACKAGES = [
  '@stryker-mutator/core@9.6.1',
  '@stryker-mutator/vitest-runner@9.6.1',
  'typescript@5.9.3',
  'vitest@4.1.12',
];

const { values: options } = parseArgs({
  options: {
    /** Files or patterns of git, separated by commas. */
    mutate: { type: 'string', default: 'src/domain,src/pipeline' },
    /** Only each N-th of these files, which is the same sample every time. */
    every: { type: 'string', default: '1' },
  },
});

const files = execFileSync('git', ['ls-files', ...options.mutate.split(',')], { encoding: 'utf8' })
  .split('\n')
  .filter((path, at) => path.endsWith('.ts') && at % Number(options.every) === 0);

mkdirSync(FOLDER, { recursive: true });
writeFileSync(
  `${FOLDER}/stryker.json`,
  JSON.stringify({
    mutate: files,
    testRunner: 'vitest',
    // Else it imports the compiler, to adapt the paths in it.
    tsconfigFile: 'none.json',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'tools/mutation-tests.ts' },
    coverageAnalysis: 'perTest',
    concurrency: 2,
    reporters: ['clear-text', 'json'],
    jsonReporter: { fileName: `${FOLDER}/mutation.json` },
    tempDirName: 'coverage/mutation',
  }),
);
const packages = PACKAGES.flatMap((name) => ['-p', name]);
const { status } = spawnSync(
  'npx',
  ['--yes', ...packages, 'stryker', 'run', `${FOLDER}/stryker.json`],
  { stdio: 'inherit' },
);
process.exitCode = status ?? 1;
