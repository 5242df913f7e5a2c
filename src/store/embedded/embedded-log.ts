/** The log of the embedded database; a pino logger fits. */
export interface EmbeddedLog {
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
}
