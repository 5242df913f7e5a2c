import { request } from './api/request.ts';
import type { Session, SignInOptions } from './api/views.ts';
import { endSession, session } from './session.ts';

/** Reads the session of the cookie. */
export const restoreSession = async (): Promise<void> => {
  session.value = await request<Session>('GET', '/session').catch(() => null);
};

export const readSignInOptions = (): Promise<SignInOptions> =>
  request<SignInOptions>('GET', '/sign-in');

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
