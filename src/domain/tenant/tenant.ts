import type { TenantId, ApiKeyId } from '../kernel/ids.js';
import type { Scope } from '../scopes.js';
import type { CustomAttribute } from './custom-attributes.js';
import type { RoomProvisioning, ScimSettings } from './scim-settings.js';

/** What an API key has removed by SCIM, for the tenant's `scim.maxRemovalsPerHour`. */
export type Removals = {
  /** The first removal of the hour that is counted. */
  readonly since: Date;
  /** Users deactivated or deleted, and members removed from groups. */
  readonly count: number;
  /** An operator lifted the limit until then; null: no operator did. */
  readonly allowedUntil: Date | null;
};

/** A customer organisation with its settings and counts. */
export interface Tenant {
  readonly id: TenantId;
  /** 3 to 63 of a-z, 0-9 and -, starting and ending with a letter or digit. Unique; never changes. */
  readonly slug: string;
  readonly name: string;
  /** Maximum number of active users; null: unlimited. */
  readonly seatCapacity: number | null;
  /** The role of users without a mapped role (decisions.md 5). */
  readonly defaultRole: string;
  readonly roomProvisioning: RoomProvisioning;
  /** The country of national phone numbers (ISO 3166-1 alpha-2); null: they are refused. */
  readonly defaultCountry: string | null;
  readonly scim: ScimSettings;
  /** The attributes of users in the tenant's schema extension; none: it has no extension. */
  readonly customAttributes: readonly CustomAttribute[];
  /** SCIM requests are captured until then; null: they are not. */
  readonly captureUntil: Date | null;
  readonly createdAt: Date;
  /** Counts the changes of name and settings; the counts below do not change it. */
  readonly version: number;
  /** Number of active users; each takes a seat. */
  readonly seatsProvisioned: number;
  /** Number of users, active or not. */
  readonly userCount: number;
  readonly roomCount: number;
  readonly groupCount: number;
  readonly roleMappingCount: number;
  readonly smsListCount: number;
  /**
   * Counts the changes of each plugin's records. An instance that caches the records compares it to
   * detect that they are stale (pipeline-rules.md 8).
   */
  readonly pluginVersions: Readonly<Record<string, number>>;
  /** By API key, while the tenant limits removals; entries may be out of date (tenant-counts.ts). */
  readonly removals: Readonly<Record<string, Removals>>;
}

const SLUG = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

export const isSlug = (text: string): boolean => SLUG.test(text);

/** Free seats, never negative; null: unlimited (decisions.md 4). */
export const seatsAvailable = ({
  seatCapacity,
  seatsProvisioned,
}: Pick<Tenant, 'seatCapacity' | 'seatsProvisioned'>): number | null =>
  seatCapacity === null ? null : Math.max(0, seatCapacity - seatsProvisioned);

/** A stored API key: only its SHA-256, never the key itself (decisions.md 3). */
export interface ApiKey {
  readonly id: ApiKeyId;
  readonly tenantId: TenantId;
  /** SHA-256 of the whole key, in hexadecimal. */
  readonly hash: string;
  /** The public part of the key: `rg_` and eight characters. */
  readonly prefix: string;
  readonly description: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  /** From then on it is as invalid as a deleted one; absent: never. */
  readonly expiresAt?: Date;
}

/** Whether a key is refused because its time is over. */
export const hasExpired = ({ expiresAt }: Pick<ApiKey, 'expiresAt'>, now: number): boolean =>
  expiresAt !== undefined && expiresAt.getTime() <= now;
