import { signal } from '@preact/signals';
import { RollgateError } from 'rollgate/client';
import { asApiError } from './api/api-error.ts';
import { client } from './api/client.ts';
import { type Schema, GUIDE, isInGuide, session } from './ui.ts';
import { untilAnswered } from './outage.ts';
import { announceSignIn, takeSession } from './step-up.ts';

const isSetupLink = ({ pathname, hash }: Location): boolean =>
  /^\/dashboard\/t\/[^/]+\/setup$/.test(pathname) && hash.length > 1;

// Entered on the page that it leads to, a link loads nothing.
window.addEventListener('hashchange', () => {
  if (isSetupLink(window.location)) window.location.reload();
});

/** The secret of a setup link, `/dashboard/t/acme/setup#…`, which leaves the address at once. */
const takeSetupSecret = (): string | undefined => {
  const { pathname, search, hash } = window.location;
  if (!isSetupLink(window.location)) return undefined;
  window.history.replaceState(null, '', pathname + search);
  return hash.slice(1);
};

/** A setup link that somebody has opened who is signed in: they are asked first. */
export const pendingSetupLink = signal<string | undefined>(undefined);

/** Opens the guide of a setup link; the session of an operator in this browser goes on. */
export const openSetupLink = async (link: string): Promise<void> => {
  try {
    session.value = await client.post('/admin/v1/setup-session', { body: { link } });
    window.history.replaceState(null, '', GUIDE);
  } catch (fault) {
    const code = asApiError(fault).status === 401 ? 'SETUP_LINK_ENDED' : 'SETUP_LINK_FAILED';
    // The sign-in page shows this code.
    window.history.replaceState(null, '', `/dashboard/sign-in?error=${code}`);
    session.value = null;
  }
  pendingSetupLink.value = undefined;
};

/** Ends the session of the setup link only. */
export const leaveGuide = async (): Promise<void> => {
  await client.delete('/admin/v1/session');
  window.location.assign('/dashboard/');
};

/** The ways to sign in, as read last: some are known also while the database is away. */
export const signInOptions = signal<Schema<'WaysToSignIn'> | undefined>(undefined);

/** The organisation that operates the gateway. */
export const brandName = (): string => signInOptions.value?.brand.name ?? 'Rollgate';

/** The same, in sentences for a customer. */
export const providerName = (): string => signInOptions.value?.brand.name ?? 'your provider';

/** Reads them again until somebody can sign in. */
export const loadSignInOptions = (abort?: AbortSignal): Promise<Schema<'WaysToSignIn'>> =>
  untilAnswered(async () => {
    const options = await client.get('/admin/v1/sign-in');
    signInOptions.value = options;
    if (options.unavailable === null) return options;
    throw new RollgateError({ code: 'UNAVAILABLE', status: 503, message: options.unavailable });
  }, abort);

/** Reads the session of the cookie, if there is one: browsers report a 401 as an error. */
export const restoreSession = async (): Promise<void> => {
  const link = takeSetupSecret();
  try {
    const options = await loadSignInOptions();
    if (isInGuide()) {
      session.value = options.setup_open
        ? await untilAnswered(() => client.get('/admin/v1/session'))
        : null;
      return;
    }
    if (link !== undefined && options.session === null) {
      await openSetupLink(link);
      return;
    }
    pendingSetupLink.value = link;
    session.value = options.session;
  } catch {
    session.value = null;
  }
};

/** False if it is another person's session, who gets another page. */
export const signIn = async (proof: Schema<'SignIn'>): Promise<boolean> => {
  const isSame = takeSession(await client.post('/admin/v1/session', { body: proof }));
  announceSignIn();
  return isSame;
};

export const signOut = async (): Promise<void> => {
  const address = session.value?.sign_out_url ?? null;
  await client.delete('/admin/v1/session');
  session.value = null;
  if (address !== null) window.location.assign(address);
};
