import { givesList } from './answer-faults.js';
import { anyOf, type Ground, type Work } from './ground.js';
import { scimUser } from './scim-user.js';
import type { KnownUser } from './target.js';

type SentUser = ReturnType<typeof scimUser>;

/** As he was sent when the directory was made: his number stands in his name. */
const asSent = ({ userName }: KnownUser): SentUser => {
  const [, number] = /^user\.(\d+)@/.exec(userName) ?? [];
  return scimUser('user', Number(number));
};

/** One user by a filter that only he meets. */
const by =
  (filterFor: (user: SentUser) => string) =>
  ({ users }: Ground): Work =>
  () => {
    const user = anyOf(users);
    const filter = encodeURIComponent(filterFor(asSent(user)));
    const fault = givesList({ total: 1, users: [user] });
    return [{ method: 'GET', path: `/Users?filter=${filter}`, fault }];
  };

/** How identity providers look for a user before they create one, beside his user name. */
export const lookUp = {
  findByExternalId: by(({ externalId }) => `externalId eq "${externalId}"`),
  findByEmail: by(({ emails: [{ value }] }) => `emails.value eq "${value}"`),
  /** As Entra does. */
  findByWorkEmail: by(({ emails: [{ value }] }) => `emails[type eq "work"].value eq "${value}"`),
  findByDisplayName: by(({ displayName }) => `displayName eq "${displayName}"`),
} as const;
