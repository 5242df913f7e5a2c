import { type JsonObject, type JsonValue, SourceError, z } from '../../src/plugin/api.js';

/** A user as the connector yields them: the properties that were read, and some of its own. */
export const EntraRecord = z
  .looseObject({
    id: z.guid(),
    userPrincipalName: z.string(),
    accountStatus: z.enum(['enabled', 'disabled']),
    /** Null without a manager. */
    managerId: z.string().nullable(),
    /** The names of the selected groups; absent without the setting `groups`. */
    groups: z.array(z.string()).optional(),
  })
  .transform((record) => record as JsonObject);

/** A user as Graph sends them, with `$expand=manager`. */
export const User = z.looseObject({
  id: z.string(),
  accountEnabled: z.boolean().nullish(),
  userType: z.string().nullish(),
  manager: z.object({ id: z.string() }).nullish(),
});

export type User = z.infer<typeof User>;

/** What is read of each user, besides `properties`. */
export const PROPERTIES = [
  ...['id', 'userPrincipalName', 'mail', 'displayName', 'givenName', 'surname', 'accountEnabled'],
  ...['userType', 'employeeId', 'jobTitle', 'department', 'companyName', 'officeLocation'],
  ...['mobilePhone', 'businessPhones', 'preferredLanguage', 'employeeHireDate'],
];

export const isGuest = ({ userType }: User): boolean => userType?.toLowerCase() === 'guest';

/** The record of a user; `groups`: undefined if none are read. */
export const recordOf = (
  user: User,
  properties: readonly string[],
  groups: readonly string[] | undefined,
): JsonObject => {
  const { id, accountEnabled, manager } = user;
  // Graph leaves it out if the app may not see it: every user would look disabled, or none would.
  if (typeof accountEnabled !== 'boolean')
    throw new SourceError(
      'permission',
      `Microsoft Graph does not say whether the user ${id} is enabled. Grant the app User.Read.All, and ` +
        'give admin consent.',
    );
  const read = properties.map((name) => [name, (user[name] ?? null) as JsonValue] as const);
  return {
    ...Object.fromEntries(read),
    accountStatus: accountEnabled ? 'enabled' : 'disabled',
    managerId: manager?.id ?? null,
    ...(groups && { groups: [...groups] }),
  };
};
