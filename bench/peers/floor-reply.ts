/** What the floor answers. */
export interface Reply {
  readonly status: number;
  /** Left out with 204. */
  readonly body?: object;
}
