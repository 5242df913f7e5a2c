/** One thing that is wrong, and where to put it right. */
export interface ConfigProblem {
  /** `config/rollgate.yaml:12` or `environment variable ROLLGATE_PORT`. */
  readonly place: string;
  /** `rateLimit.perMinute`; empty where the whole file is meant. */
  readonly key: string;
  readonly message: string;
}

/** The configuration cannot be used. The message lists every problem, each with its place. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** A file's in the order of its lines. */
  readonly problems: readonly ConfigProblem[];
  constructor(problems: readonly ConfigProblem[]) {
    const inOrder = [...problems].sort((a, b) => lineNumberOf(a) - lineNumberOf(b));
    super(['The configuration cannot be used:', ...inOrder.map(lineOf)].join('\n'));
    this.problems = inOrder;
  }
}

const lineNumberOf = ({ place }: ConfigProblem): number => Number(/:(\d+)$/.exec(place)?.[1] ?? 0);

const lineOf = ({ place, key, message }: ConfigProblem): string =>
  `  ${place}: ${key === '' ? '' : `${key}: `}${message}`;
