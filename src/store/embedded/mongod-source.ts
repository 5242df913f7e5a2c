import type { EmbeddedLog } from './embedded-log.js';

/** A source of a mongod. */
export interface MongodSource {
  /** As in "mongod 6.0.5 from <name>" and in the list of what was tried. */
  readonly name: string;
  /** Chosen by the operator: if it fails, no other source is tried. */
  readonly isExplicit?: boolean;
  /** The path of a mongod; rejects with the reason if there is none. */
  readonly find: (context: SourceContext) => Promise<string>;
}

export interface SourceContext {
  readonly env: NodeJS.ProcessEnv;
  readonly cacheDir: string;
  readonly log: EmbeddedLog;
}

/** The source has no mongod, which is not an error: the next one is tried. */
export class NothingHere extends Error {
  override readonly name = 'NothingHere';
}
