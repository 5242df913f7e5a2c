import { once, setMaxListeners } from 'node:events';
import { request } from 'undici';
import { serveMethods } from '../shared/child.js';

/** A client that keeps requests in flight. */
export interface AttackerMethods {
  readonly start: (requests: Requests) => Promise<void>;
  /** Resolves with the responses by status, when every request has ended. */
  readonly stop: (params: undefined) => Promise<Readonly<Record<string, number>>>;
}

export interface Requests {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly parallel: number;
}

/** All requests together, below the default rate limit of a key. */
const PER_SECOND = 9;

/*
 * Runs in a process of its own, so that its responses do not delay those of the measured tenant.
 */
let controller = new AbortController();
let attack: Promise<Readonly<Record<string, number>>> = Promise.resolve({});

const sleepUntil = (time: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, time - performance.now());
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

const run = async (
  { url, headers, parallel }: Requests,
  signal: AbortSignal,
): Promise<Readonly<Record<string, number>>> => {
  const statuses: Record<string, number> = {};
  const send = async (): Promise<void> => {
    while (!signal.aborted) {
      const next = performance.now() + (parallel * 1_000) / PER_SECOND;
      let status = 'no response';
      try {
        const response = await request(url, { headers, signal, headersTimeout: 0, bodyTimeout: 0 });
        status = String(response.statusCode);
        response.body.resume();
        await once(response.body, 'close');
      } catch {
        status += ', cut off';
      }
      statuses[status] = (statuses[status] ?? 0) + 1;
      await sleepUntil(next, signal);
    }
  };
  await Promise.all(Array.from({ length: parallel }, send));
  return statuses;
};

serveMethods<AttackerMethods>({
  start: (requests) => {
    controller = new AbortController();
    setMaxListeners(0, controller.signal);
    attack = run(requests, controller.signal);
    return Promise.resolve();
  },
  stop: () => {
    controller.abort();
    return attack;
  },
});
