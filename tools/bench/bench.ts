/** `npm run bench`: see docs/benchmarks.md. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { defineScenario, UsageError } from '../shared/faults/scenario.js';
import { buildChildren } from './build.js';
import { OPTIONS, optionsOf } from './options.js';
import { describeMachine } from '../shared/describe-machine.js';
import { createReport, formatReport } from './report/report.js';
import { openBenchContext } from './run/bench-context.js';
import { runBench } from './run/run-bench.js';
import { ALL_IDS } from './workloads.js';

const writeJson = async (path: string, report: object): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
};

const bench = defineScenario({
  name: 'bench',
  summary: `Measures the gateway and other servers. A wrong response ends it.

  workloads: ${ALL_IDS.join(', ')}
  W1 stands for W1-1, W1-8 and W1-64; default: all`,
  options: OPTIONS,
  words: 'workloads',
  success: 'Every response was correct.',
  run: async (values, { cleanup, report: print }) => {
    if (process.platform !== 'linux')
      throw new UsageError('The benchmark needs Linux: it reads CPU time from /proc.');
    const options = optionsOf(values);
    print('Building');
    await buildChildren();
    const context = await openBenchContext(options, { cleanup, report: print });
    const machine = { ...(await describeMachine()), mongod: context.database.version };
    const report = createReport(machine, options, await runBench(context, options));
    print(`\n${formatReport(report)}`);
    if (values.json !== '') await writeJson(values.json, report);
    return { problems: [] };
  },
});

process.exitCode = await bench.main(process.argv.slice(2));
