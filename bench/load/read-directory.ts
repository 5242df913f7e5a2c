import type { SeenList } from './answer-faults.js';
import { openConnection } from './connection.js';
import type { KnownUser, Target } from './target.js';

/** The most that decisions.md 3 gives in one page. */
const PAGE = 500;

/** The whole directory, page by page: the order that later pages are held against. */
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
  throw new Error(`The pages of ${target.origin} show ${distinct} users of ${size}.`);

  async function readPage(from: number): Promise<readonly KnownUser[]> {
    const path = `/Users?startIndex=${from + 1}&count=${PAGE}`;
    const { status, text } = await connection.send({ method: 'GET', path, fault: () => undefined });
    const { totalResults, Resources = [] } = JSON.parse(text) as SeenList;
    if (status === 200 && totalResults === size && Resources.length > 0) {
      return Resources.map(({ id, userName }) => ({ id: String(id), userName: String(userName) }));
    }
    throw new Error(`${path} of ${target.origin} answers ${status}: ${text.slice(0, 300)}`);
  }
};
