import { openConnection } from './connection.js';
import type { UserListBody } from './response-checks.js';
import type { KnownUser, Target } from './target.js';

/** The largest page that the gateway returns. */
const PAGE = 500;

/** Reads all users page by page, in the order that later pages are compared with. */
export const readDirectory = async (
  target: Target,
  size: number,
): Promise<readonly KnownUser[]> => {
  const connection = openConnection(target);
  const users: KnownUser[] = [];
  try {
    while (users.length < size) users.push(...(await readPage(users.length)));
  } finally {
    await connection.close();
  }
  const distinct = new Set(users.map(({ id }) => id)).size;
  if (distinct === size) return users;
  throw new Error(`The pages of ${target.origin} contain ${distinct} of ${size} users.`);

  async function readPage(from: number): Promise<readonly KnownUser[]> {
    const path = `/Users?startIndex=${from + 1}&count=${PAGE}`;
    const { status, text } = await connection.send({ method: 'GET', path, check: () => undefined });
    const { totalResults, Resources = [] } = JSON.parse(text) as UserListBody;
    if (status === 200 && totalResults === size && Resources.length > 0) {
      return Resources.map(({ id, userName }) => ({ id: String(id), userName: String(userName) }));
    }
    throw new Error(`${target.origin}${path}: ${status} ${text.slice(0, 300)}`);
  }
};
