import { request } from './api/request.ts';
import { asApiError } from './api/api-error.ts';
import type { Session, SignInOptions } from './api/views.ts';
import { endSession, session } from './session.ts';

export const readSignInOptions = (): Promise<SignInOptions> =>
  request<SignInOptions>('GET', '/sign-in');

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
      session.value = await request<Session>('POST', '/setup-session', { body: { link } });
    } catch (fault) {
      showError(asApiError(fault).status === 401 ? 'SETUP_LINK_ENDED' : 'SETUP_LINK_FAILED');
      session.value = null;
    }
    return;
  }
  try {
    const { signed_in: isSignedIn = true } = await readSignInOptions();
    session.value = isSignedIn ? await request<Session>('GET', '/session') : null;
  } catch {
    session.value = null;
  }
};

export const signIn = async (
  proof:
    | { readonly admin_token: string; readonly step_up?: true }
    | { readonly link: string; readonly name?: string },
): Promise<void> => {
  const created = await request<Partial<Session> | undefined>('POST', '/session', { body: proof });
  if (created?.csrf_token === undefined) await restoreSession();
  else session.value = created as Session;
};

export const signOut = async (): Promise<void> => {
  const address = session.value?.sign_out_url ?? null;
  await request('DELETE', '/session');
  endSession();
  if (address !== null) window.location.assign(address);
};
