import { type JsonObject, z } from '../../src/plugin/api.js';

/** A user as the connector yields them. */
export const OktaRecord = z
  .looseObject({
    id: z.string(),
    status: z.string(),
    /** By the setting `activeStatuses`. */
    state: z.enum(['active', 'inactive']),
    /** The attributes of the profile, custom ones included. */
    profile: z.looseObject({ login: z.string() }),
    /** The names of the selected groups; absent without the setting `groups`. */
    groups: z.array(z.string()).optional(),
  })
  .transform((record) => record as JsonObject);

/** A user as the API sends them. */
export const User = z.looseObject({
  id: z.string(),
  status: z.string(),
  statusChanged: z.string().nullish(),
  profile: z.record(z.string(), z.json()),
});

export type User = z.infer<typeof User>;

/** The record of a user; `groups`: undefined if none are read. */
export const recordOf = (
  { id, status, profile }: User,
  activeStatuses: readonly string[],
  groups: readonly string[] | undefined,
): JsonObject => ({
  id,
  status,
  state: activeStatuses.includes(status) ? 'active' : 'inactive',
  profile,
  ...(groups && { groups: [...groups] }),
});
