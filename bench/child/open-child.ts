import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Answered, AnswerOf, OrdersOf, QuestionOf } from './order.js';

export interface Child<Orders> {
  readonly ask: <Name extends keyof Orders>(
    order: Name,
    question: QuestionOf<Orders[Name]>,
  ) => Promise<AnswerOf<Orders[Name]>>;
  readonly stop: () => Promise<void>;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: Error) => void;
}

/** Starts a script that calls `serveOrders`. What it cannot do rejects with its own words. */
export const openChild = <Orders extends OrdersOf<Orders>>(script: string): Child<Orders> => {
  // Without the flags of this process: children are plain JavaScript.
  const child = fork(script, { execArgv: [], serialization: 'advanced' });
  const waiting = new Map<number, Waiting>();
  const closed = once(child, 'exit');
  let asked = 0;

  child.on('message', ({ number, result, failure }: Answered) => {
    const { resolve, reject } = waiting.get(number) ?? {};
    waiting.delete(number);
    if (failure === undefined) resolve?.(result);
    else reject?.(new Error(failure));
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error(`${script} ended.`));
  });

  return {
    ask: (order, question) =>
      new Promise((resolve, reject) => {
        const number = (asked += 1);
        waiting.set(number, { resolve: resolve as Waiting['resolve'], reject });
        child.send({ number, order, question });
      }),
    stop: async () => {
      if (child.connected) child.disconnect();
      await closed;
    },
  };
};
