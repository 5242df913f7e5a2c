/** What a gateway needs: its modules are read side by side, and each connection takes one. */
export const GATEWAY_OPEN_FILES = 512;
/** An embedded mongod keeps each collection, index and connection open. */
export const EMBEDDED_OPEN_FILES = 1024;

interface Report {
  readonly userLimits?: { readonly open_files?: { readonly soft: number | 'unlimited' } };
}

/**
 * How many files and connections this process may have open at once; Infinity where the system
 * sets no limit. Node.js has raised the soft limit to the hard one by then.
 */
export const openFileLimit = (): number => {
  // Or it looks up the names of open connections, which may take seconds.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as Report;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Infinity;
};

export const RAISE_OPEN_FILES =
  'raise the limit (ulimit -n, LimitNOFILE= in systemd, --ulimit nofile= in Docker)';

/** Undefined, or one sentence that says how many files are too few and what to do. */
export const tooFewOpenFiles = (who: string, least: number): string | undefined => {
  const limit = openFileLimit();
  if (limit >= least) return undefined;
  return (
    `${who} needs ${least} open files (file descriptors), and this process may have ${limit}: ` +
    `${RAISE_OPEN_FILES}.`
  );
};

/**
 * Runs the program, or says why it cannot. The program loads its modules itself, for that takes
 * hundreds of open files at once, and a module that cannot be opened ends in a stack trace.
 */
export const withOpenFiles = async (program: () => Promise<void>): Promise<void> => {
  const problem = tooFewOpenFiles('Rollgate', GATEWAY_OPEN_FILES);
  if (problem === undefined) return program();
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
};
