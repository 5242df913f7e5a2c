import type { ApiClient } from '../shared/api-client.js';

/** The largest number of members in one request. */
export const CHUNK = 1_000;
/** Of this many members, one is valid in the past only and one in the future only. */
const WINDOW_PERIOD = 100;

export const phoneNumber = (at: number): string => `+4915${String(at).padStart(9, '0')}`;

export type MembersFrom = (from: number, to: number) => readonly object[];

export const membersFrom: MembersFrom = (from, to) =>
  Array.from({ length: to - from }, (_, at) => ({ phone_number: phoneNumber(from + at) }));

/** Some of them with a validity window that does not include today. */
export const windowedMembersFrom: MembersFrom = (from, to) =>
  membersFrom(from, to).map((member, at) => ({
    ...member,
    ...((from + at) % WINDOW_PERIOD === 0 && { valid_until: '2026-01-01T00:00:00Z' }),
    ...((from + at) % WINDOW_PERIOD === 1 && { valid_from: '2099-01-01T00:00:00Z' }),
  }));

/** Creates a list of this many members; returns its path. */
export const createList = async (
  client: ApiClient,
  size: number,
  members: MembersFrom,
): Promise<string> => {
  const path = `/sms-lists/${await client.create('/sms-lists', { name: `of ${size}` })}`;
  for (let from = 0; from < size; from += CHUNK)
    await client.expect(200, 'POST', `${path}/members`, {
      members: members(from, Math.min(size, from + CHUNK)),
    });
  return path;
};
