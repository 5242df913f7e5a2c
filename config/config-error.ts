/** One error of the configuration, and where to fix it. */
export interface ConfigProblem {
  /** `config/rollgate.yaml:12` or `environment variable ROLLGATE_PORT`. */
  readonly place: string;
  /** `rateLimit.perMinute`; empty if the error is about the whole file. */
  readonly key: string;
  readonly message: string;
}

/** The configuration is invalid. The message lists every problem with its place. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** Problems of the file are in the order of its lines. */
  readonly problems: readonly ConfigProblem[];
  constructor(problems: readonly ConfigProblem[]) {
    const inOrder = [...problems].sort((a, b) => lineNumberOf(a) - lineNumberOf(b));
    super(['Invalid configuration:', ...inOrder.map(lineOf)].join('\n'));
    this.problems = inOrder;
  }
}

const lineNumberOf = ({ place }: ConfigProblem): number => Number(/:(\d+)$/.exec(place)?.[1] ?? 0);

const lineOf = ({ place, key, message }: ConfigProblem): string =>
  `  ${place}: ${key === '' ? '' : `${key}: `}${message}`;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'is not readable by this account',
  EISDIR: 'is a folder',
};

/** Describes why a file cannot be read: `the file does not exist (ENOENT)`. */
export const describeReadError = (what: string, error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
  return `${what} ${REASONS[code] ?? 'cannot be read'} (${code})`;
};
