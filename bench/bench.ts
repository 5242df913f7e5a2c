/** `npm run bench`: docs/benchmarks.md says what is measured and how to read it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { buildChildren, buildGateway } from './build.js';
import { type Cleanup, runWithCleanup } from '../tooling/cleanup.js';
import { type BenchOptions, readOptions, USAGE, UsageError } from './options.js';
import { profileWorkload } from './profile/profile-workload.js';
import { describeMachine } from './report/describe-machine.js';
import { hasWrong, inWords, makeReport } from './report/report.js';
import { runBench } from './run/run-bench.js';
import { openWorld } from './run/world.js';

const tell = (line: string): void => void process.stderr.write(`${line}\n`);

const build = async ({ build: isWanted, peers }: BenchOptions): Promise<void> => {
  tell('Building');
  await buildChildren();
  if (isWanted && peers.includes('rollgate')) await buildGateway();
};

const bench = async (options: BenchOptions): Promise<void> => {
  if (process.platform !== 'linux') throw new UsageError('CPU time is read from /proc: use Linux.');
  await build(options);
  await runWithCleanup(tell, (cleanup) => measure(options, cleanup));
};

const measure = async (options: BenchOptions, cleanup: Cleanup): Promise<void> => {
  const world = await openWorld({ webhook: options.webhook, cleanup, tell });
  if (options.profile !== undefined) {
    process.stdout.write(`\n${await profileWorkload(world, options)}`);
    return;
  }
  const machine = await describeMachine(world.database.version);
  const report = makeReport(machine, options, await runBench(world, options));
  process.stdout.write(`\n${inWords(report)}`);
  if (options.json !== undefined) await writeJson(options.json, report);
  if (hasWrong(report)) process.exitCode = 1;
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
  tell(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : String(error));
  process.exitCode = 1;
}
