import type { TenantId } from './ids.js';

/** How a missing room is met when an identity provider pushes a group (decisions.md 5). */
export type RoomProvisioning = 'manual' | 'automatic';

/** How the SCIM interface meets the clients of one tenant (decisions.md 8). */
export type ScimSettings = {
  /** What a PUT of a group without `members` does: empty the group, or keep its members. */
  readonly putWithoutMembers: 'clear' | 'keep';
  /** Whether error bodies hold the attributes of RFC 7644, 3.12 and no others. */
  readonly strictErrors: boolean;
};

export const DEFAULT_SCIM_SETTINGS: ScimSettings = {
  putWithoutMembers: 'clear',
  strictErrors: false,
};

/** An organisation: its name, its settings, and what its commits count. */
export interface Tenant {
  readonly id: TenantId;
  /** 3 to 63 of a-z, 0-9 and -, starting and ending with a letter or digit; unique, never changed. */
  readonly slug: string;
  readonly name: string;
  /** How many users may be active at once; null for as many as they like. */
  readonly seatCapacity: number | null;
  /** The role of a user whom no role mapping gives another (decisions.md 5). */
  readonly defaultRole: string;
  readonly roomProvisioning: RoomProvisioning;
  /** Whose phone numbers may be given without a country (ISO 3166-1 alpha-2); null: nobody's. */
  readonly defaultCountry: string | null;
  readonly scim: ScimSettings;
  readonly createdAt: Date;
  /** Of the name and the settings: what is counted does not move it. */
  readonly version: number;
  /** Users who are active, each on a seat. */
  readonly seatsProvisioned: number;
  /** Users who exist, active or not. */
  readonly userCount: number;
  readonly roomCount: number;
  readonly groupCount: number;
  readonly roleMappingCount: number;
  readonly smsListCount: number;
  /**
   * For each plugin that changed a record of this tenant: how often. A gateway that holds the
   * records in memory knows by it when they are stale (pipeline-rules.md 8).
   */
  readonly pluginVersions: Readonly<Record<string, number>>;
}

const SLUG = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

export const isSlug = (text: string): boolean => SLUG.test(text);

/** Seats still free, or null where there is no limit; never negative (decisions.md 4). */
export const seatsAvailable = ({
  seatCapacity,
  seatsProvisioned,
}: Pick<Tenant, 'seatCapacity' | 'seatsProvisioned'>): number | null =>
  seatCapacity === null ? null : Math.max(0, seatCapacity - seatsProvisioned);
