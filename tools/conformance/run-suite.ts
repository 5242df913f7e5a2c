import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { KNOWN_FAILURES, type KnownFailure, type TenantKind } from './known-failures.js';

export interface SuiteRun {
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
export const runSuite = async (
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
