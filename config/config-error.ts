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
  constructor(readonly problems: readonly ConfigProblem[]) {
    super(['The configuration cannot be used:', ...problems.map(lineOf)].join('\n'));
  }
}

const lineOf = ({ place, key, message }: ConfigProblem): string =>
  `  ${place}: ${key === '' ? '' : `${key}: `}${message}`;
