import type { ConfigProblem } from '../../config/config-error.js';
import type { Config } from '../../config/load-config.js';
import type { Resolver } from '../plugin/outbound/address-guard.js';
import type { InspectedDatabase } from '../store/inspect/inspect-database.js';
import type { Clocks } from '../store/inspect/read-server.js';

/** What checks use of the machine, shared so that each thing is opened once. */
export interface DoctorContext {
  readonly env: NodeJS.ProcessEnv;
  /** The base of relative paths. */
  readonly cwd: string;
  /** `20.20.2` */
  readonly nodeVersion: string;
  readonly clocks: Clocks;
  /** Errors in the configuration with which a gateway does not start. */
  readonly problems: readonly ConfigProblem[];
  /** Errors that disable connectors only; absent: none. */
  readonly connectorProblems?: readonly ConfigProblem[] | undefined;
  /** Settings that work and should be changed all the same; absent: none. */
  readonly warnings?: readonly ConfigProblem[] | undefined;
  /** Throws a CheckSkipped if the settings cannot be read. */
  readonly config: () => Config;
  /** The data folder as an absolute path. Throws like `config`. */
  readonly dataDir: () => string;
  /** Whether anything is stored in it. Throws like `config`. */
  readonly usesDataDir: () => boolean;
  /** Whether the database is embedded. Throws like `config`. */
  readonly isEmbedded: () => boolean;
  /**
   * The database, opened once for all checks. Rejects with a DatabaseError if it cannot be used,
   * with a CheckSkipped if it is embedded and not running.
   */
  readonly reachDatabase: () => Promise<InspectedDatabase>;
  /** The same for checks of its contents: rejects only with a CheckSkipped. */
  readonly database: () => Promise<InspectedDatabase>;
  readonly gateway: GatewayAccess;
  /** Where to test an outbound connection; undefined: not tested. */
  readonly egress: EgressTarget | undefined;
  readonly resolve: Resolver;
}

/** Why something is missing, in a sentence. */
export interface Missing {
  readonly missing: string;
}

/** The address of the gateway, running or not, and the credential for it. */
export interface GatewayAccess {
  readonly address: GatewayAddress | Missing;
  readonly token: AdminToken | Missing;
}

export interface GatewayAddress {
  /** Without a trailing slash. */
  readonly url: string;
  /** Passed explicitly, not taken from the configuration: a gateway must be running there. */
  readonly isGiven: boolean;
  /** Over https, or on this machine. */
  readonly isConfidential: boolean;
}

export interface AdminToken {
  readonly value: string;
  /** `.rollgate/admin-token`, `ROLLGATE_ADMIN_TOKEN` … */
  readonly from: string;
}

export interface EgressTarget {
  /** An IPv6 address is without brackets. */
  readonly host: string;
  readonly port: number;
}
