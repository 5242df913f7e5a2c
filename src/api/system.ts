/** A gateway of this database. */
export interface SystemInstance {
  readonly id: string;
  /** Null: a gateway of an earlier version. */
  readonly host: string | null;
  readonly version: string | null;
  readonly startedAt: Date;
  readonly heartbeatAt: Date;
}

/** The database as this gateway sees it. */
export interface SystemDatabase {
  readonly version: string;
  readonly isSupported: boolean;
  /** Null: a sharded cluster. */
  readonly replicaSet: string | null;
  /** `host:port` of each member. */
  readonly members: readonly string[];
  /** How long it takes to respond. */
  readonly pingMs: number;
}

export const CHECK_STATES = ['ok', 'warn', 'fail'] as const;

/** The result of a check, and what to do. */
export interface SystemCheck {
  /** Stable, for programs: `database`. */
  readonly id: string;
  readonly title: string;
  readonly status: (typeof CHECK_STATES)[number];
  readonly message: string;
  /** Null if there is nothing to do. */
  readonly action: string | null;
}

/** The gateways and their database. */
export interface SystemState {
  readonly version: string;
  readonly node: string;
  readonly startedAt: Date;
  /** Of this gateway. */
  readonly instanceId: string;
  readonly instances: readonly SystemInstance[];
  readonly database: SystemDatabase & { readonly kind: 'embedded' | 'external' };
  readonly checks: readonly SystemCheck[];
}

export type ReadSystem = () => Promise<SystemState>;
