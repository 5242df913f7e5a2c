import { type JsonObject, z } from '../../src/plugin/api.js';

const Text = z.string().nullable();

/** A user as the connector yields them. */
export const GoogleRecord = z
  .looseObject({
    id: z.string(),
    email: z.string(),
    givenName: Text,
    familyName: Text,
    displayName: Text,
    /** Archived and suspended users are `archived`. */
    status: z.enum(['active', 'suspended', 'archived']),
    employeeId: Text,
    title: Text,
    department: Text,
    costCenter: Text,
    workPhone: Text,
    mobilePhone: Text,
    managerEmail: Text,
    orgUnitPath: Text,
    aliases: z.array(z.string()),
    /** The selected groups, by e-mail address; absent without the setting `groups`. */
    groups: z.array(z.string()).optional(),
  })
  .transform((record) => record as JsonObject);

const text = z.string().nullish();

/** A user as the API sends them. */
export const User = z.looseObject({
  id: z.string(),
  primaryEmail: z.string(),
  name: z.object({ givenName: text, familyName: text, fullName: text }).nullish(),
  // Without it, a user who left would look active.
  suspended: z.boolean(),
  archived: z.boolean().nullish(),
  orgUnitPath: text,
  aliases: z.array(z.string()).nullish(),
  externalIds: z.array(z.object({ type: text, value: text })).nullish(),
  organizations: z
    .array(
      z.object({
        title: text,
        department: text,
        costCenter: text,
        primary: z.boolean().nullish(),
      }),
    )
    .nullish(),
  phones: z.array(z.object({ type: text, value: text })).nullish(),
  relations: z.array(z.object({ type: text, value: text })).nullish(),
  customSchemas: z.record(z.string(), z.record(z.string(), z.json())).nullish(),
});

export type User = z.infer<typeof User>;

/** The record of a user; `groups`: undefined if none are read. */
export const recordOf = (user: User, groups: readonly string[] | undefined): JsonObject => {
  const organization =
    user.organizations?.find(({ primary }) => primary === true) ?? user.organizations?.[0];
  return {
    id: user.id,
    email: user.primaryEmail,
    givenName: user.name?.givenName ?? null,
    familyName: user.name?.familyName ?? null,
    displayName: user.name?.fullName ?? null,
    status: statusOf(user),
    employeeId: ofType(user.externalIds, 'organization'),
    title: organization?.title ?? null,
    department: organization?.department ?? null,
    costCenter: organization?.costCenter ?? null,
    workPhone: ofType(user.phones, 'work'),
    mobilePhone: ofType(user.phones, 'mobile'),
    managerEmail: ofType(user.relations, 'manager'),
    orgUnitPath: user.orgUnitPath ?? null,
    aliases: user.aliases ?? [],
    custom: user.customSchemas ?? {},
    ...(groups && { groups: [...groups] }),
  };
};

const statusOf = ({ archived, suspended }: User): string => {
  if (archived === true) return 'archived';
  return suspended ? 'suspended' : 'active';
};

const ofType = (
  values: User['externalIds'],
  wanted: 'organization' | 'work' | 'mobile' | 'manager',
): string | null => values?.find(({ type }) => type === wanted)?.value ?? null;
