import type { Child } from '../../tooling/child.js';
import type { Cleanup } from '../../tooling/cleanup.js';
import type { LoadMethods } from '../load/load-methods.js';
import type { Webhooks } from '../run/open-webhooks.js';

/** What a contestant is started with. */
export interface ContestSetting {
  /** Names the contestant, its database and its log. */
  readonly label: string;
  readonly size: number;
  /** A folder of the benchmark's own, removed at the end. */
  readonly folder: string;
  readonly databaseUri: (database: string) => string;
  readonly load: Child<LoadMethods>;
  /** Undefined: nothing is owed to anybody. */
  readonly webhooks: Webhooks | undefined;
  /** Such as --cpu-prof. */
  readonly nodeFlags: readonly string[];
  readonly cleanup: Cleanup;
}
