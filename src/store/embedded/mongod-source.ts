import type { EmbeddedLog } from './embedded-log.js';

/** One place a mongod may come from. */
export interface MongodSource {
  /** As it stands in "mongod 6.0.5 from <name>" and in the list of what was tried. */
  readonly name: string;
  /** The operator named it: where it fails, nothing else is tried behind his back. */
  readonly isExplicit?: boolean;
  /** The path of a mongod; rejects with the reason where there is none. */
  readonly find: (context: SourceContext) => Promise<string>;
}

export interface SourceContext {
  readonly env: NodeJS.ProcessEnv;
  readonly cacheDir: string;
  readonly log: EmbeddedLog;
}

/** The source has nothing to offer, which is no fault: the next one is tried. */
export class NothingHere extends Error {
  override readonly name = 'NothingHere';
}
