import type { Child } from '../../shared/child.js';
import type { Cleanup } from '../../shared/cleanup.js';
import type { LoadMethods } from '../load/load-methods.js';
import type { Webhooks } from '../run/open-webhooks.js';

/** What a server is started with. */
export interface ServerSetting {
  /** Names the server, its database and its log file. */
  readonly label: string;
  readonly size: number;
  /** Removed at the end. */
  readonly folder: string;
  readonly databaseUri: (database: string) => string;
  readonly load: Child<LoadMethods>;
  /** Undefined: the gateway has no webhook. */
  readonly webhooks: Webhooks | undefined;
  /** Settings of the gateway, besides the usual ones. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Such as --cpu-prof. */
  readonly nodeFlags: readonly string[];
  readonly cleanup: Cleanup;
}
