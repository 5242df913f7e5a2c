/** The pipeline's log for operators. */
export interface PipelineLog {
  readonly warn: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
}

/** The same log, with lines lost where writing them fails: a log must not decide what becomes of a command. */
export const neverThrowing = (log: PipelineLog): PipelineLog => {
  const safely = (write: PipelineLog['warn']): PipelineLog['warn'] => {
    return (fields, message) => {
      try {
        write(fields, message);
      } catch {
        // There is no place left to report it.
      }
    };
  };
  return {
    warn: safely((fields, message) => log.warn(fields, message)),
    error: safely((fields, message) => log.error(fields, message)),
  };
};
