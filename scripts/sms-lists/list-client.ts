import got, { type Method } from 'got';

/** The largest that is added in one request. */
export const CHUNK = 1_000;
/** Of this many members one has a window that has ended, and one another that has not begun. */
const WINDOWED = 100;

export const numberOf = (at: number): string => `+4915${String(at).padStart(9, '0')}`;

const memberOf = (at: number): object => ({
  phone_number: numberOf(at),
  ...(at % WINDOWED === 0 && { valid_until: '2026-01-01T00:00:00Z' }),
  ...(at % WINDOWED === 1 && { valid_from: '2099-01-01T00:00:00Z' }),
});

export const membersFrom = (from: number, to: number): readonly object[] =>
  Array.from({ length: to - from }, (_, at) => memberOf(from + at));

export type Ask = (
  method: Method,
  path: string,
  body?: object,
) => Promise<{ readonly body: unknown; readonly ms: number }>;

/** Answers of 2xx alone, and how long they took. */
export const clientOf =
  (base: () => string, key: string): Ask =>
  async (method, path, body) => {
    const began = performance.now();
    const { body: text } = await got(base() + path, {
      method,
      headers: { authorization: `Bearer ${key}` },
      retry: { limit: 0 },
      timeout: { request: 120_000 },
      ...(body && { json: body }),
    });
    return { body: text === '' ? null : JSON.parse(text), ms: performance.now() - began };
  };

/** Makes a list of so many numbers; answers with its path. */
export const makeList = async (
  ask: Ask,
  size: number,
  members: typeof membersFrom = membersFrom,
): Promise<string> => {
  const { body } = await ask('POST', '/sms-lists', { name: `of ${size}` });
  const path = `/sms-lists/${(body as { readonly id: string }).id}`;
  for (let from = 0; from < size; from += CHUNK)
    await ask('POST', `${path}/members`, { members: members(from, Math.min(size, from + CHUNK)) });
  return path;
};
