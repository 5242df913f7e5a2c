/** The pipeline's log for operators. */
export interface PipelineLog {
  readonly warn: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
}
