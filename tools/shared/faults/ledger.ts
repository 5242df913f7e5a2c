import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient, ApiResponse } from '../api-client.js';

/** A user that a client creates, and the response it got. */
export interface LedgerEntry {
  readonly number: number;
  /** The tenant's slug. */
  readonly tenant: string;
  readonly email: string;
  /** Absent: a repeated request must not find the user of an earlier one. */
  readonly idempotencyKey?: string;
  /** Requests sent, including the acknowledged one. */
  attempts: number;
  /** From the first request to the last response. */
  ms: number;
  /** The body of the 201, byte for byte; undefined until then. */
  response?: string;
}

/** Which creates were acknowledged. */
export interface Ledger {
  readonly entries: readonly LedgerEntry[];
  /** The next user to create; undefined after the last. */
  readonly next: () => LedgerEntry | undefined;
  readonly acknowledge: (entry: LedgerEntry, response: string) => void;
  readonly acknowledged: () => number;
  /** Whether the tenant got a response after this time, or has no open creates. */
  readonly isServedSince: (tenant: string, time: number) => boolean;
  /** Responses that no client should get. */
  readonly unexpected: string[];
}

interface LedgerPlan {
  readonly seed: number;
  readonly creates: number;
  /** Whether clients send no Idempotency-Key. */
  readonly keyless?: boolean;
}

export const createLedger = (
  { seed, creates, keyless }: LedgerPlan,
  tenants: readonly string[],
): Ledger => {
  const entries: LedgerEntry[] = Array.from({ length: creates }, (_, number) => ({
    number,
    tenant: tenants[number % tenants.length] ?? '',
    email: `user-${number}@example.com`,
    ...(!keyless && { idempotencyKey: `fault-${seed}-${number}` }),
    attempts: 0,
    ms: 0,
  }));
  const lastResponse = new Map<string, number>();
  const hasOpenCreates = (tenant: string): boolean =>
    entries.some((entry) => entry.tenant === tenant && entry.response === undefined);
  let taken = 0;
  let acknowledged = 0;
  return {
    entries,
    next: () => entries[taken++],
    acknowledge: (entry, response) => {
      entry.response = response;
      lastResponse.set(entry.tenant, performance.now());
      acknowledged += 1;
    },
    acknowledged: () => acknowledged,
    isServedSince: (tenant, time) =>
      (lastResponse.get(tenant) ?? -Infinity) > time || !hasOpenCreates(tenant),
    unexpected: [],
  };
};

/** The API of a tenant, at the next of the gateways. */
export type ClientFor = (tenant: string) => ApiClient;

const RETRY_AFTER_ERROR_MS = 60;
const RETRY_AFTER_BUSY_MS = 100;
const TIMEOUT_MS = 60_000;

/** Creates the ledger's users, each with one idempotency key until it is acknowledged. */
export const runClient = async (ledger: Ledger, clientFor: ClientFor): Promise<void> => {
  for (let entry = ledger.next(); entry; entry = ledger.next())
    await createUntilAcknowledged(ledger, entry, clientFor);
};

const createUntilAcknowledged = async (
  ledger: Ledger,
  entry: LedgerEntry,
  clientFor: ClientFor,
): Promise<void> => {
  const began = performance.now();
  for (;;) {
    entry.attempts += 1;
    const response = await sendCreate(clientFor(entry.tenant), entry);
    entry.ms = performance.now() - began;
    if (response?.status === 201) {
      ledger.acknowledge(entry, response.text);
      return;
    }
    const isExpected = response === undefined || response.status === 503;
    if (!isExpected) ledger.unexpected.push(`${entry.email}: ${response.status} ${response.text}`);
    if (!isExpected || entry.ms > TIMEOUT_MS) return;
    await sleep(response ? RETRY_AFTER_BUSY_MS : RETRY_AFTER_ERROR_MS);
  }
};

/** Undefined if no gateway was listening, or it ended before it responded. */
const sendCreate = (
  client: ApiClient,
  { email, idempotencyKey, number }: LedgerEntry,
): Promise<ApiResponse | undefined> =>
  client
    .send('POST', '/users', {
      headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
      body: { email, display_name: `User ${number}` },
    })
    .catch(() => undefined);

/** A repeated request with the same idempotency key must get the same bytes. */
export const findChangedResponses = async (
  { entries }: Ledger,
  clientFor: ClientFor,
): Promise<readonly string[]> => {
  const sample = entries.filter(
    ({ number, idempotencyKey }) => number % 50 === 0 && idempotencyKey !== undefined,
  );
  const compared = sample.map(async (entry) => {
    const response = await sendCreate(clientFor(entry.tenant), entry);
    return response?.text === entry.response
      ? []
      : [`${entry.email}: a repeated request got another response`];
  });
  return (await Promise.all(compared)).flat();
};
