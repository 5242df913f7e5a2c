import type { ApiKeyId, TenantId } from '../domain/kernel/ids.js';
import type { LogPosition } from './command-log.js';

/** One side of a captured request, masked. */
export interface CapturedMessage {
  readonly headers: Readonly<Record<string, string>>;
  /** Null: there was none, or it was left out because it may contain a secret. */
  readonly body: string | null;
  /** The body was longer. */
  readonly isCut: boolean;
}

/** What is known of a captured request without its messages. */
export interface CapturedSummary {
  readonly id: string;
  readonly at: Date;
  readonly method: string;
  /** With the query, masked. */
  readonly path: string;
  readonly status: number;
  readonly keyId: ApiKeyId;
  readonly userAgent: string | null;
  readonly durationMs: number;
  readonly requestId: string;
  /** Length of the request's body. */
  readonly bytes: number;
}

/** A request of a tenant and its response, without secrets and phone numbers. */
export interface CapturedRequest extends CapturedSummary {
  readonly tenantId: TenantId;
  readonly request: CapturedMessage;
  readonly response: CapturedMessage;
  /** Why it cannot be replayed: 'its body was longer than 64 KiB'. */
  readonly obstacle: string | null;
}

/** Captured requests, for 24 hours. Every method rejects with UNAVAILABLE. */
export interface CapturedRequests {
  /** Adds them; the oldest of a tenant leave first, when it has too many. */
  readonly add: (requests: readonly CapturedRequest[]) => Promise<void>;
  /** Newest first. */
  readonly page: (
    tenantId: TenantId,
    query: { readonly limit: number; readonly after?: LogPosition },
  ) => Promise<{ readonly requests: readonly CapturedSummary[]; readonly next?: LogPosition }>;
  readonly find: (tenantId: TenantId, id: string) => Promise<CapturedRequest | undefined>;
}
