/** Where the SCIM interface of a contestant is, and how to be let in. */
export interface Target {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** `/scim/v2` or `/v1/<tenant>/scim/v2` */
  readonly base: string;
  /** Authorization, where it is wanted. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A user that was in the directory before the workloads began, in the order of creation. */
export interface KnownUser {
  readonly id: string;
  readonly userName: string;
}

/** A group that was made for the workloads. */
export interface KnownGroup {
  readonly id: string;
  readonly displayName: string;
  /** Who is in it whenever no request is under way. */
  readonly memberIds: readonly string[];
}
