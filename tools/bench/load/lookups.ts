import { type Operation, type OperationInput, pickRandom } from './operation.js';
import { expectUsers } from './response-checks.js';
import { scimUser } from './scim-user.js';
import type { KnownUser } from './target.js';

type CreatedUser = ReturnType<typeof scimUser>;

/** The attributes that the user was created with, from the number in the user name. */
const createdUser = ({ userName }: KnownUser): CreatedUser => {
  const [, number] = /^user\.(\d+)@/.exec(userName) ?? [];
  return scimUser('user', Number(number));
};

/** Finds one user by a filter that matches no other. */
const lookupBy =
  (filterFor: (user: CreatedUser) => string) =>
  ({ users }: OperationInput): Operation =>
  () => {
    const user = pickRandom(users);
    const filter = encodeURIComponent(filterFor(createdUser(user)));
    const check = expectUsers({ total: 1, users: [user] });
    return [{ method: 'GET', path: `/Users?filter=${filter}`, check }];
  };

/** How identity providers search for a user before they create one, besides by userName. */
export const LOOKUPS = {
  findByExternalId: lookupBy(({ externalId }) => `externalId eq "${externalId}"`),
  findByEmail: lookupBy(({ emails: [{ value }] }) => `emails.value eq "${value}"`),
  /** As Entra does. */
  findByWorkEmail: lookupBy(
    ({ emails: [{ value }] }) => `emails[type eq "work"].value eq "${value}"`,
  ),
  findByDisplayName: lookupBy(({ displayName }) => `displayName eq "${displayName}"`),
} as const;
