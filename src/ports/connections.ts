import type { ApiKeyId, TenantId } from '../domain/kernel/ids.js';
import type {
  Connection,
  ConnectionCycle,
  ConnectionRefusal,
} from '../domain/tenant/connection.js';

/** Requests with an API key since the last report of a gateway, at least one. */
export interface KeyActivity {
  /** Start of the first, and end of the last. */
  readonly from: Date;
  readonly until: Date;
  readonly requests: number;
  readonly refused: number;
  readonly usersChanged: number;
  readonly userAgent?: string;
  readonly lastSuccessAt?: Date;
  readonly lastRefusal?: ConnectionRefusal;
}

/** Why a request was not authenticated. One line adds a reason, here and in `FAILURES`. */
export const FAILURE_REASONS = [
  'no_key',
  'malformed_key',
  'unknown_key',
  'deleted_key',
  'expired_key',
  'other_tenant',
  'other_client',
  'tokens_off',
  'ended_token',
  'missing_scope',
] as const;

export type FailureReason = (typeof FAILURE_REASONS)[number];

/** Failed authentications of one hour, with the same address, prefix and reason. */
export interface FailedAuthentication {
  readonly tenantId: TenantId;
  readonly address: string;
  /** First characters of the key; null: none was sent, it has no such form, or there were many. */
  readonly keyPrefix: string | null;
  readonly reason: FailureReason;
  /** Of `missing_scope`. */
  readonly scope: string | null;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly count: number;
}

/** As a gateway counts them: the tenant is not known if it does not exist. */
export interface CountedFailure extends Omit<FailedAuthentication, 'tenantId'> {
  readonly slug: string;
  /** SHA-256 of an unknown key: it may be that of a deleted one. */
  readonly keyHash?: string;
}

/** What is known of requests with API keys. Every method rejects with UNAVAILABLE. */
export interface ConnectionStore {
  /** Adds what a gateway has counted to what others have. */
  readonly add: (activities: ReadonlyMap<ApiKeyId, KeyActivity>) => Promise<void>;
  /** Adds failed authentications of the tenants that exist; the oldest leave first. */
  readonly addFailures: (failures: readonly CountedFailure[]) => Promise<void>;
  /** Of these keys that have sent requests, at this time. */
  readonly find: (
    keyIds: readonly ApiKeyId[],
    now: Date,
  ) => Promise<ReadonlyMap<ApiKeyId, Connection>>;
  /** Newest first. */
  readonly cycles: (keyId: ApiKeyId) => Promise<readonly ConnectionCycle[]>;
  /** Newest first, all that are kept. */
  readonly failures: (tenantId: TenantId, since?: Date) => Promise<readonly FailedAuthentication[]>;
}
