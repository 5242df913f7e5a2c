import { asApiError } from './api/api-error.ts';
import { client } from './api/gateway.ts';
import type { Schema } from './api/schema.ts';
import { untilAnswered } from './outage.ts';
import { hasExpired, session } from './session.ts';

export const readSignInOptions = (): Promise<Schema<'WaysToSignIn'>> =>
  client.get('/admin/v1/sign-in');

/** The secret of a setup link, `/dashboard/t/acme/setup#…`, which leaves the address at once. */
const takeSetupSecret = (): string | undefined => {
  const { pathname, search, hash } = window.location;
  if (!/^\/dashboard\/t\/[^/]+\/setup$/.test(pathname) || hash.length < 2) return undefined;
  window.history.replaceState(null, '', pathname + search);
  return hash.slice(1);
};

/** The sign-in page shows this code. */
const showError = (code: string): void =>
  window.history.replaceState(null, '', `/dashboard/sign-in?error=${code}`);

/** Reads the session of the cookie, if there is one: browsers report a 401 as an error. */
export const restoreSession = async (): Promise<void> => {
  const link = takeSetupSecret();
  if (link !== undefined) {
    try {
      session.value = await client.post('/admin/v1/setup-session', { body: { link } });
    } catch (fault) {
      showError(asApiError(fault).status === 401 ? 'SETUP_LINK_ENDED' : 'SETUP_LINK_FAILED');
      session.value = null;
    }
    return;
  }
  try {
    const { signed_in: isSignedIn } = await untilAnswered(readSignInOptions);
    session.value = isSignedIn ? await untilAnswered(() => client.get('/admin/v1/session')) : null;
  } catch {
    session.value = null;
  }
};

export const signIn = async (proof: Schema<'SignIn'>): Promise<void> => {
  session.value = await client.post('/admin/v1/session', { body: proof });
  hasExpired.value = false;
};

export const signOut = async (): Promise<void> => {
  const address = session.value?.sign_out_url ?? null;
  await client.delete('/admin/v1/session');
  session.value = null;
  if (address !== null) window.location.assign(address);
};
