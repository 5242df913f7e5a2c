import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../../config/is-loopback.js';
import { raise } from '../../domain/kernel/refusals.js';

const reject = (message: string): never => raise('CSRF_REJECTED', message);

/** `localhost` and `127.0.0.1` with the same port are the same gateway. */
const isOwnOrigin = (origin: string, publicUrl: string): boolean => {
  if (!URL.canParse(origin)) return false;
  const [given, own] = [new URL(origin), new URL(publicUrl)];
  if (given.origin === own.origin) return true;
  const isSameScheme = given.protocol === own.protocol && given.port === own.port;
  return isSameScheme && isLoopback(origin) && isLoopback(publicUrl);
};

/**
 * Refuses writes that a page of another site makes a browser send. Browsers send `Origin` with every
 * write, and current ones `Sec-Fetch-Site`; neither can be set by scripts.
 */
export const requireSameOrigin = ({ headers }: IncomingMessage, publicUrl: string): void => {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (origin === undefined)
    reject('Send the header Origin, as browsers do, or use the admin token.');
  else if (!isOwnOrigin(origin, publicUrl))
    reject(
      `Requests from this origin are not accepted. If it is how browsers reach this gateway, set ` +
        `publicUrl to it; it is ${publicUrl} now.`,
    );
  if (site !== undefined && site !== 'same-origin')
    reject('Requests that another site has caused are not accepted.');
};
