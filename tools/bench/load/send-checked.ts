import {
  type CheckedRequest,
  type Connection,
  type LoadResponse,
  openConnection,
} from './connection.js';
import { type WrongResponse, wrongResponse } from './load-recorder.js';
import type { Target } from './target.js';

class WrongResponseError extends Error {
  override readonly name = 'WrongResponseError';

  constructor(readonly wrong: WrongResponse) {
    super(`${wrong.request}: ${wrong.why}`);
  }
}

/** Resolves with the response if it is correct; else throws WrongResponseError. */
export const sendChecked = async (
  connection: Connection,
  request: CheckedRequest,
): Promise<LoadResponse> => {
  const response = await send(connection, request);
  const problem = request.check(response);
  if (problem === undefined) return response;
  throw new WrongResponseError(wrongResponse(request, problem, response));
};

/** A missing response counts as a wrong one. */
const send = async (connection: Connection, request: CheckedRequest): Promise<LoadResponse> => {
  try {
    return await connection.send(request);
  } catch (error) {
    throw new WrongResponseError(wrongResponse(request, String(error)));
  }
};

/** The result, or the first wrong response. */
export type Attempt<Result> =
  | { readonly result: Result; readonly wrong?: never }
  | { readonly wrong: WrongResponse; readonly result?: never };

export const attempt = async <Result>(promise: Promise<Result>): Promise<Attempt<Result>> => {
  try {
    return { result: await promise };
  } catch (error) {
    if (error instanceof WrongResponseError) return { wrong: error.wrong };
    throw error;
  }
};

export interface LoadClients {
  readonly target: Target;
  readonly clients: number;
}

/** Clients take the next item when they are done. The results are in the order of the items. */
export const distribute = async <Item, Result>(
  { target, clients }: LoadClients,
  items: readonly Item[],
  run: (connection: Connection, item: Item) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  const queue = queueOf(items);
  const runClient = async (): Promise<void> => {
    const connection = openConnection(target);
    try {
      for (const [index, item] of queue) results[index] = await run(connection, item);
    } finally {
      await connection.close();
    }
  };
  await Promise.all(Array.from({ length: clients }, runClient));
  return results;
};

/** Shared by all clients. An error in one of them closes the generator, which ends the others. */
function* queueOf<Item>(items: readonly Item[]): Generator<[number, Item]> {
  yield* items.entries();
}
