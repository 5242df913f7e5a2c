import { request } from './api/request.ts';
import type { Session, SignInOptions } from './api/views.ts';
import { endSession, session } from './session.ts';

export const readSignInOptions = (): Promise<SignInOptions> =>
  request<SignInOptions>('GET', '/sign-in');

/** Reads the session of the cookie, if there is one: browsers report a 401 as an error. */
export const restoreSession = async (): Promise<void> => {
  try {
    const { signed_in: isSignedIn = true } = await readSignInOptions();
    session.value = isSignedIn ? await request<Session>('GET', '/session') : null;
  } catch {
    session.value = null;
  }
};

export const signIn = async (
  proof: { readonly admin_token: string } | { readonly link: string; readonly name?: string },
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
