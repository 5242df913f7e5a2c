import type { EventName, NewEvent } from '../events.js';
import type { JsonObject } from '../kernel/json.js';
import { displayNameOf, type User } from './user.js';

/** `data.user` of every event about a user. */
export const summariseUser = (user: User): JsonObject => ({
  id: user.id,
  email: user.email,
  display_name: displayNameOf(user.profile),
  active: user.profile.active,
});

type UserEventName = Extract<EventName, `user.${string}`>;

export const userEvent = (name: UserEventName, user: User, more: JsonObject = {}): NewEvent => ({
  name,
  resource: { kind: 'user', id: user.id },
  data: { user: summariseUser(user), ...more },
});
