/** `npm run bench`: see docs/benchmarks.md. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Cleanup, runWithCleanup } from '../shared/cleanup.js';
import { buildChildren, buildGateway } from './build.js';
import { type BenchOptions, readOptions, USAGE, UsageError } from './options.js';
import { profileWorkload } from './profile/profile-workload.js';
import { describeMachine, createReport, formatReport, hasWrongResponse } from './report/report.js';
import { openBenchContext } from './run/bench-context.js';
import { runBench } from './run/run-bench.js';

const print = (line: string): void => void process.stderr.write(`${line}\n`);

const build = async ({ build: shouldBuild, peers }: BenchOptions): Promise<void> => {
  print('Building');
  await buildChildren();
  if (shouldBuild && peers.includes('rollgate')) await buildGateway();
};

const bench = async (options: BenchOptions): Promise<void> => {
  if (process.platform !== 'linux')
    throw new UsageError('The benchmark needs Linux: it reads CPU time from /proc.');
  await build(options);
  await runWithCleanup(print, (cleanup) => measure(options, cleanup));
};

const measure = async (options: BenchOptions, cleanup: Cleanup): Promise<void> => {
  const context = await openBenchContext({ webhook: options.webhook, cleanup, report: print });
  if (options.profile !== undefined) {
    process.stdout.write(`\n${await profileWorkload(context, options)}`);
    return;
  }
  const machine = await describeMachine(context.database.version);
  const report = createReport(machine, options, await runBench(context, options));
  process.stdout.write(`\n${formatReport(report)}`);
  if (options.json !== undefined) await writeJson(options.json, report);
  if (hasWrongResponse(report)) process.exitCode = 1;
};

const writeJson = async (path: string, report: object): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
};

const main = async (): Promise<void> => {
  const options = readOptions(process.argv.slice(2));
  if (options) await bench(options);
  else process.stdout.write(USAGE);
};

try {
  await main();
} catch (error) {
  print(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : String(error));
  process.exitCode = 1;
}
