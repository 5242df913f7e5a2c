import { once, setMaxListeners } from 'node:events';
import { request } from 'undici';
import { serveMethods } from '../shared/child.js';

/**
 * A client that keeps requests in flight, in a process of its own, so that its responses do not delay
 * those of the measured tenant.
 */
export interface AttackerMethods {
  /** Resolves when the requests have started, and as many new users were created as are parallel. */
  readonly start: (requests: Requests) => Promise<void>;
  /** Resolves with the responses by status, when every request has ended. */
  readonly stop: (params: undefined) => Promise<Readonly<Record<string, number>>>;
}

export interface Requests {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly parallel: number;
  /** Of all together; by default below the rate limit of a key. */
  readonly perSecond?: number;
  /** Whether each request creates another user. */
  readonly createsUsers?: boolean;
}

const PER_SECOND = 9;

let controller = new AbortController();
let attack: Promise<Readonly<Record<string, number>>> = Promise.resolve({});
let users = 0;

const sleepUntil = (time: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, time - performance.now());
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** A POST is not cut off: its response counts. */
const sendOne = async (
  { url, headers, createsUsers }: Requests,
  signal: AbortSignal,
): Promise<string> => {
  const options = createsUsers
    ? {
        method: 'POST' as const,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ email: `flood-${(users += 1)}@example.com` }),
      }
    : { headers, signal };
  let status = 'no response';
  try {
    const response = await request(url, { ...options, headersTimeout: 0, bodyTimeout: 0 });
    status = String(response.statusCode);
    response.body.resume();
    await once(response.body, 'close');
    return status;
  } catch {
    return `${status}, cut off`;
  }
};

const run = async (
  requests: Requests,
  signal: AbortSignal,
  onFull: () => void,
): Promise<Readonly<Record<string, number>>> => {
  const { parallel, perSecond = PER_SECOND } = requests;
  const statuses: Record<string, number> = {};
  const send = async (): Promise<void> => {
    while (!signal.aborted) {
      const next = performance.now() + (parallel * 1_000) / perSecond;
      const status = await sendOne(requests, signal);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if ((statuses['201'] ?? 0) >= parallel) onFull();
      if (performance.now() < next) await sleepUntil(next, signal);
    }
  };
  await Promise.all(Array.from({ length: parallel }, send));
  return statuses;
};

serveMethods<AttackerMethods>({
  start: (requests) =>
    new Promise((resolve) => {
      controller = new AbortController();
      setMaxListeners(0, controller.signal);
      attack = run(requests, controller.signal, resolve);
      if (!requests.createsUsers) resolve();
    }),
  stop: () => {
    controller.abort();
    return attack;
  },
});
