import type { ConfigProblem } from '../../config/config-error.js';
import type { Config } from '../../config/load-config.js';
import type { Resolver } from '../plugin/outbound/guarded-lookup.js';
import type { InspectedDatabase } from '../store/inspect/inspect-database.js';
import type { Clocks } from '../store/inspect/time-server.js';

/** What all checks see of the machine and of each other's findings. */
export interface DoctorContext {
  readonly env: NodeJS.ProcessEnv;
  /** What relative paths start from. */
  readonly cwd: string;
  /** `20.20.2` */
  readonly nodeVersion: string;
  readonly clocks: Clocks;
  /** Everything that is wrong with the configuration. */
  readonly problems: readonly ConfigProblem[];
  /** Throws a NotCheckable where the settings cannot be read. */
  readonly config: () => Config;
  /** The data folder, as a whole path. Throws as `config` does. */
  readonly dataDir: () => string;
  /** Whether anything is kept in it. Throws as `config` does. */
  readonly usesDataDir: () => boolean;
  /** Whether the gateway runs a database of its own. Throws as `config` does. */
  readonly isEmbedded: () => boolean;
  /**
   * The database, opened once for all checks. Rejects with a DatabaseError where it cannot be
   * used, with a NotCheckable where it is embedded and does not run.
   */
  readonly reachDatabase: () => Promise<InspectedDatabase>;
  /** The same for checks of what is in it: rejects with a NotCheckable only. */
  readonly database: () => Promise<InspectedDatabase>;
  readonly gateway: GatewayPlace;
  /** Where to try an outbound connection; absent: nowhere. */
  readonly egress: EgressTarget | undefined;
  readonly resolve: Resolver;
}

/** Why something was not found, in a sentence. */
export interface Missing {
  readonly missing: string;
}

/** Where the gateway would be, if one runs, and what opens it. */
export interface GatewayPlace {
  readonly address: GatewayAddress | Missing;
  readonly token: AdminToken | Missing;
}

export interface GatewayAddress {
  /** Without a slash at the end. */
  readonly url: string;
  /** Somebody named it, rather than the configuration: then a gateway is expected there. */
  readonly isGiven: boolean;
  /** Nobody listens on the way: https, or this machine. */
  readonly isConfidential: boolean;
}

export interface AdminToken {
  readonly value: string;
  /** `.rollgate/admin-token`, `ROLLGATE_ADMIN_TOKEN` … */
  readonly from: string;
}

export interface EgressTarget {
  /** An IPv6 address without its brackets. */
  readonly host: string;
  readonly port: number;
}
