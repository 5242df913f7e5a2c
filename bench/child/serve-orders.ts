import type { Answered, Asked, OrdersOf } from './order.js';

/**
 * Makes this process one that does what its parent asks by message, and ends with its parent.
 * Ctrl-C is the parent's business: it ends its children itself, when their work is counted.
 */
export const serveOrders = <Orders extends OrdersOf<Orders>>(handlers: Orders): void => {
  const answer = (answered: Answered): void => void process.send?.(answered);
  process.on('SIGINT', () => undefined);
  process.on('disconnect', () => process.exit());
  process.on('message', (asked: Asked<Orders>) => {
    void (async () => {
      try {
        answer({ number: asked.number, result: await handlers[asked.order](asked.question) });
      } catch (error) {
        const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
        answer({ number: asked.number, failure });
      }
    })();
  });
};
