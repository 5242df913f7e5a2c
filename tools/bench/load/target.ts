/** The SCIM API of a server. */
export interface Target {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** `/scim/v2` or `/v1/<tenant>/scim/v2` */
  readonly base: string;
  /** Authorization, if the server requires it. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A user that existed before the workloads. */
export interface KnownUser {
  readonly id: string;
  readonly userName: string;
}

/** A group of a fixture. */
export interface KnownGroup {
  readonly id: string;
  readonly displayName: string;
  /** Its members between operations. */
  readonly memberIds: readonly string[];
}
