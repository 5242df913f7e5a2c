import { writeSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import { PROPERTY_SEED } from './property-seed.js';

/** What CI may skip, by file. All other skipped tests fail there: what is not tested is not shown to work. */
const MAY_SKIP: Readonly<Record<string, string>> = {
  'deploy/docker.system.test.ts': 'a test only for root',
  'deploy/helm.system.test.ts': 'no registry has helm',
  'deploy/systemd.system.test.ts': 'systemd-analyze is not on every machine',
  'doctor/machine.test.ts': 'one test only for root, one only for others',
  'house/tracked-files.test.ts': 'a copy without the history has no tracked files',
};

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * Prints the seed of properties first, and `N passed, N failed` as the last line of a run, for scripts.
 * That is written when the process exits, after the output of the other reporters and of the teardown.
 */
export default class CountingReporter implements Reporter {
  onInit(): void {
    writeSync(1, `Seed of properties: ${PROPERTY_SEED ?? 'random'}\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const counts: Counts = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) count(module, counts);
    if (process.env['CI'] !== undefined) failSkipped(modules, counts);
    process.once('exit', () => void writeSync(1, `${lineOf(counts)}\n`));
  }
}

/** Counts failures of files and hooks as well as tests. */
const count = (module: TestModule, counts: Counts): void => {
  counts.failed += module.errors().length;
  for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
  for (const test of module.children.allTests()) {
    const { state } = test.result();
    counts[state === 'pending' ? 'skipped' : state] += 1;
  }
};

const failSkipped = (modules: readonly TestModule[], counts: Counts): void => {
  for (const module of modules) {
    if (Object.keys(MAY_SKIP).some((file) => module.moduleId.endsWith(`/test/${file}`))) continue;
    for (const { fullName } of module.children.allTests('skipped')) {
      writeSync(1, ` FAIL  skipped: ${module.relativeModuleId} > ${fullName}\n`);
      counts.skipped -= 1;
      counts.failed += 1;
      process.exitCode = 1;
    }
  }
};

const lineOf = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
