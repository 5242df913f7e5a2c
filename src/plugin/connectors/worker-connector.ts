import { SourceError } from '../connector-contract.js';
import type { Started, StartParts } from './open-connector.js';

/** The module of a connector, for its worker. */
export interface WorkerModule {
  readonly use: string;
  /** Null: built in. */
  readonly url: string | null;
}

/** Starts a connector in a thread of its own. */
export const startInWorker = (parts: StartParts, _module: WorkerModule): Promise<Started> =>
  Promise.reject(
    new SourceError('config', `isolation: worker is not available for ${parts.name}.`),
  );
