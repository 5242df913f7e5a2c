import { createRollgateClient } from 'rollgate/client';
import { takeEarlyRead } from '../early-reads.ts';
import { csrfToken, isInGuide } from '../session.ts';

/** The cookie alone does not authorise a write. */
const fetchInSession: typeof fetch = async (address, given = {}) => {
  if (given.method === 'GET' && typeof address === 'string') {
    const early = await takeEarlyRead(address);
    if (early) return early;
  }
  const headers = new Headers(given.headers);
  if (given.method !== 'GET') headers.set('x-csrf-token', csrfToken());
  if (isInGuide()) headers.set('x-rollgate-session', 'setup');
  return fetch(address, { ...given, headers });
};

/** For signing in and out, whose errors do not end a session. */
export const client = createRollgateClient({
  baseUrl: '',
  // Fail at once: the operator decides whether to repeat it.
  retries: 0,
  // Previews in a large tenant may take longer than the default.
  timeoutMs: 120_000,
  fetch: fetchInSession,
});
