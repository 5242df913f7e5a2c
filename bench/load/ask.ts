import { type Answer, type Connection, type Exchange, openConnection } from './connection.js';
import { type Wrong, wrongOf } from './tally.js';
import type { Target } from './target.js';

/** Thrown where a wrong answer ends the work at once. */
class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';

  constructor(readonly wrong: Wrong) {
    super(`${wrong.request}: ${wrong.why}`);
  }
}

/** Sends, and gives the answer where it is right. */
export const ask = async (connection: Connection, exchange: Exchange): Promise<Answer> => {
  const answer = await sent(connection, exchange);
  const why = exchange.fault(answer);
  if (why === undefined) return answer;
  throw new WrongAnswer(wrongOf(exchange, why, answer));
};

/** No answer is a wrong one, too. */
const sent = async (connection: Connection, exchange: Exchange): Promise<Answer> => {
  try {
    return await connection.send(exchange);
  } catch (error) {
    throw new WrongAnswer(wrongOf(exchange, String(error)));
  }
};

/** What came of work that the first wrong answer ends. */
export type Tried<Result> =
  | { readonly result: Result; readonly wrong?: never }
  | { readonly wrong: Wrong; readonly result?: never };

export const tried = async <Result>(work: Promise<Result>): Promise<Tried<Result>> => {
  try {
    return { result: await work };
  } catch (error) {
    if (error instanceof WrongAnswer) return { wrong: error.wrong };
    throw error;
  }
};

export interface Crew {
  readonly target: Target;
  readonly clients: number;
}

/** Each item is one client's, who takes the next when he is done; the results in the items' order. */
export const shareOut = async <Item, Result>(
  { target, clients }: Crew,
  items: readonly Item[],
  doOne: (connection: Connection, item: Item) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  const queue = queueOf(items);
  const work = async (): Promise<void> => {
    const connection = openConnection(target);
    try {
      for (const [index, item] of queue) results[index] = await doOne(connection, item);
    } finally {
      await connection.close();
    }
  };
  await Promise.all(Array.from({ length: clients }, work));
  return results;
};

/** For several to take from; one that ends by an error ends it for all, as it ends the generator. */
function* queueOf<Item>(items: readonly Item[]): Generator<[number, Item]> {
  yield* items.entries();
}
