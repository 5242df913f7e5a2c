/** Where the pipeline writes what operators should know. */
export interface PipelineLog {
  readonly warn: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
}
