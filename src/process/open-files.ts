import { readFileSync } from 'node:fs';

/** What a gateway needs: modules are read concurrently, and each connection needs one. */
export const GATEWAY_OPEN_FILES = 512;
/** An embedded mongod keeps a file open for each collection, index and connection. */
export const EMBEDDED_OPEN_FILES = 1024;

interface Report {
  readonly userLimits?: { readonly open_files?: { readonly soft: number | 'unlimited' } };
}

/**
 * How many files and connections this process can open; Infinity if there is no limit. Node.js has
 * raised the soft limit to the hard one already.
 */
export const openFileLimit = (): number => limitInProc() ?? limitInReport();

/** Linux only, in a fraction of the report's 5 ms. */
const limitInProc = (): number | undefined => {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const [, soft] = /^Max open files +(\d+|unlimited) /m.exec(limits) ?? [];
    if (soft === undefined) return undefined;
    return soft === 'unlimited' ? Infinity : Number(soft);
  } catch {
    return undefined;
  }
};

const limitInReport = (): number => {
  // Otherwise the report resolves the names of open connections, which may take seconds.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as Report;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Infinity;
};

export const RAISE_OPEN_FILES =
  'raise the limit (ulimit -n, LimitNOFILE= in systemd, --ulimit nofile= in Docker)';

/** Undefined, or a sentence with the limit, the need, and what to do. */
export const openFilesProblem = (program: string, needed: number): string | undefined => {
  const limit = openFileLimit();
  if (limit >= needed) return undefined;
  return (
    `${program} needs ${needed} open files (file descriptors), but the limit is ${limit}: ` +
    `${RAISE_OPEN_FILES}.`
  );
};

/**
 * Runs the program if enough files can be opened. The program imports its modules itself, because
 * that takes hundreds of open files, and fails with a stack trace if there are too few.
 */
export const withOpenFiles = async (program: () => Promise<void>): Promise<void> => {
  const problem = openFilesProblem('Rollgate', GATEWAY_OPEN_FILES);
  if (problem === undefined) return program();
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
};
