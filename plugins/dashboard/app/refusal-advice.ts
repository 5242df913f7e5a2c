import { providerName } from './sign-in.ts';

/** What the administrator of an identity provider can do about a refusal; `provider` is who operates it. */
const ADVICE: Readonly<Record<string, (provider: string) => string>> = {
  SEAT_CAPACITY_REACHED: (provider) =>
    `Remove the assignment of users who need no access, or ask ${provider} for more seats. Then send the user again.`,
  ROOM_NOT_FOUND: (provider) =>
    `Give the group the name of a room, or ask ${provider} to create a room of this name. Then push the group again.`,
  GROUP_EXISTS: () =>
    'Unlink the other group of this name, or rename this one. Then push it again.',
  GROUP_NOT_FOUND: () => 'Unlink the group and push it again.',
  USER_NOT_FOUND: () => 'Assign the user to the application first, then push their group again.',
  USERNAME_TAKEN: () => 'Two of your accounts have this user name. Change one, then send it again.',
  EMAIL_TAKEN: () =>
    'Two of your accounts have this e-mail address. Change one, then send it again.',
  EXTERNAL_ID_TAKEN: () =>
    'Two of your objects have this external ID. Correct the attribute mapping.',
  REMOVALS_HELD: (provider) =>
    `It would remove unusually many people. If that is intended, ask ${provider} to allow it for an hour.`,
  INVALID_REQUEST: () => 'Correct the attribute that the message names in your attribute mapping.',
};

export const adviceFor = (code: string | null): string => {
  const provider = providerName();
  const advice = code === null ? undefined : ADVICE[code];
  return advice?.(provider) ?? `Send the message and its time to ${provider}.`;
};
