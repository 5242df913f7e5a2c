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
  /** Lines of the suite that tell of a failure. */
  readonly lines: readonly string[];
  /** Known failures that happened. */
  readonly known: readonly KnownFailure[];
  /** Failures that no entry of the list explains. */
  readonly unexplained: number;
  /** Entries of the list that did not happen: mended here or there, so they have to go. */
  readonly outdated: readonly KnownFailure[];
  readonly ms: number;
}

interface Target {
  readonly kind: TenantKind;
  readonly baseUrl: string;
  readonly token: string;
}

/** What suites begin a line with that tells of a failure. */
const FAILURE = /^(?:FAIL|FAILED|ERROR|CRITICAL|DEVIATION|✗|✘|not ok)\b/i;
const SUMMARY = /^(\d+) passed, (\d+) failed/;

/** Runs one suite against a tenant; every line that it says goes to `tell`. */
export const runSuite = async (
  { folder, suite }: { readonly folder: string; readonly suite: string },
  { kind, baseUrl, token }: Target,
  tell: (line: string) => void,
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
    tell(line);
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
  const ours = KNOWN_FAILURES.filter(
    (known) => known.suite === suite && known.tenants.includes(kind),
  );
  const tells = ({ line: piece }: KnownFailure, line: string): boolean => line.includes(piece);
  const explained = lines.filter((line) => ours.some((known) => tells(known, line)));
  const happened = ours.filter((known) => lines.some((line) => tells(known, line)));
  return {
    lines: lines.filter((line) => !explained.includes(line)),
    known: happened,
    unexplained: Math.max(0, failed - explained.length),
    outdated: ours.filter((known) => !happened.includes(known)),
  };
};
