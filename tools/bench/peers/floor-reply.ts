/** A response of the floor. */
export interface Reply {
  readonly status: number;
  /** None with 204. */
  readonly body?: object;
}
