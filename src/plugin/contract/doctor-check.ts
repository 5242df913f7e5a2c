/** A check of `rollgate doctor`. It must change, start and lock nothing. */
export interface DoctorCheck<Settings = unknown> {
  /** Unique among all checks; the name in `--json`. */
  readonly name: string;
  /** Time limit: 12 s. If it throws, the check has failed. */
  readonly run: (context: DoctorCheckContext<Settings>) => CheckResult | Promise<CheckResult>;
}

/** What a check receives. */
export interface DoctorCheckContext<Settings = unknown> {
  readonly settings: Settings;
  /** The key of the plugin's section. */
  readonly section: string;
  /** The directory that relative paths start from. */
  readonly cwd: string;
  readonly now: () => Date;
  /** Milliseconds since an arbitrary moment, for measuring. */
  readonly elapsed: () => number;
  /** The host to try (`--egress-host`). */
  readonly egress: ConnectionTarget | undefined;
  /** Resolves a name as deliveries do. */
  readonly resolve: (name: string) => Promise<readonly string[]>;
  /**
   * Opens a TLS connection as `host.http` would, through the address guard, and sends nothing. Rejects
   * only if the CA file of the plugin's outbound policy cannot be read.
   */
  readonly connect: (target: ConnectionTarget) => Promise<ConnectionResult>;
}

/** A server to connect to. */
export interface ConnectionTarget {
  /** An IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** The result of a connection attempt. */
export type ConnectionResult =
  | { readonly ok: true; readonly durationMs: number; readonly certificateEndsAt: Date }
  | {
      readonly ok: false;
      readonly durationMs: number;
      readonly fault: 'blocked' | 'url' | 'dns' | 'connect' | 'tls' | 'timeout' | 'broken';
      readonly message: string;
    };

/** The result of a check. */
export interface CheckResult {
  /** SKIP: there is nothing to check, or it could not be checked. */
  readonly status: 'OK' | 'WARN' | 'FAIL' | 'SKIP';
  /** One line without secrets. */
  readonly message: string;
  /** What to do; required with WARN and FAIL. */
  readonly remedy?: string;
  /** A warning that does not change the exit code. */
  readonly isAdvice?: true;
  /** For programs. */
  readonly details?: Readonly<Record<string, unknown>>;
}
