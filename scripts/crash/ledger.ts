/** One user that a client wants, and all that it was told about it. */
export interface Entry {
  readonly number: number;
  /** The tenant's slug. */
  readonly tenant: string;
  readonly email: string;
  readonly idempotencyKey: string;
  /** Requests it took, the one that was answered among them. */
  tries: number;
  /** From the first request to the answer. */
  ms: number;
  /** The answer, byte for byte; undefined while there is none. */
  answer?: string;
  answeredAt: number;
}

export interface Ledger {
  readonly entries: readonly Entry[];
  /** The next user to be made; undefined where all are. */
  readonly next: () => Entry | undefined;
  readonly acknowledge: (entry: Entry, answer: string) => void;
  readonly acknowledged: () => number;
  /** Whether the tenant was answered after this time of the steady clock, or waits for nothing. */
  readonly isServedSince: (tenant: string, time: number) => boolean;
  /** Answers that no client should get. */
  readonly surprises: string[];
}

export const openLedger = (seed: number, creates: number, tenants: readonly string[]): Ledger => {
  const entries: Entry[] = Array.from({ length: creates }, (_, number) => ({
    number,
    tenant: tenants[number % tenants.length]!,
    email: `user-${number}@example.com`,
    idempotencyKey: `crash-${seed}-${number}`,
    tries: 0,
    ms: 0,
    answeredAt: 0,
  }));
  const lastAnswers = new Map<string, number>();
  const isWaiting = (tenant: string): boolean =>
    entries.some((entry) => entry.tenant === tenant && entry.answer === undefined);
  let begun = 0;
  let acknowledged = 0;
  return {
    entries,
    next: () => entries[begun++],
    acknowledge: (entry, answer) => {
      entry.answer = answer;
      entry.answeredAt = performance.now();
      lastAnswers.set(entry.tenant, entry.answeredAt);
      acknowledged += 1;
    },
    acknowledged: () => acknowledged,
    isServedSince: (tenant, time) =>
      (lastAnswers.get(tenant) ?? -Infinity) > time || !isWaiting(tenant),
    surprises: [],
  };
};
