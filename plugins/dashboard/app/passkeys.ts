import { Cancelled } from './api/api-error.ts';
import { client } from './api/client.ts';
import { gateway, type Schema, session } from './ui.ts';
import { signInOptions } from './sign-in.ts';

/** Bytes as base64url, without padding. */
const encode = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const decode = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));

/** The host that passkeys of this gateway are bound to; null: browsers have none for it. */
export const passkeyHost = (): string | null => signInOptions.value?.passkey_host ?? null;

/** Whether this browser has passkeys for the host of this page. */
export const canUsePasskeys = (): boolean => {
  const host = passkeyHost();
  const { hostname } = window.location;
  return host !== null && 'PublicKeyCredential' in window && `.${hostname}`.endsWith(`.${host}`);
};

const notUsed = (): never => {
  throw new Cancelled(
    'No passkey was used: the request was cancelled, or this device has none for this gateway.',
  );
};

const notCreated = (fault?: unknown): never => {
  const name = fault instanceof DOMException ? fault.name : '';
  throw new Cancelled(
    name === 'InvalidStateError'
      ? 'This device already has a passkey for your account.'
      : 'No passkey was created: the request was cancelled, or this device cannot create one.',
  );
};

/** Asks the person for a passkey; the result signs them in. */
export const askForPasskey = async (): Promise<Schema<'SignIn'>> => {
  const options = await client.post('/admin/v1/session/passkey-challenge');
  const credential = await navigator.credentials
    .get({
      publicKey: {
        challenge: decode(options.challenge),
        rpId: options.rp_id,
        timeout: options.timeout_ms,
        userVerification: 'required',
      },
    })
    .catch(notUsed);
  if (!(credential instanceof PublicKeyCredential)) return notUsed();
  const { clientDataJSON, authenticatorData, signature, userHandle } =
    credential.response as AuthenticatorAssertionResponse;
  return {
    passkey: {
      id: credential.id,
      client_data: encode(clientDataJSON),
      authenticator_data: encode(authenticatorData),
      signature: encode(signature),
      user_handle: userHandle && encode(userHandle),
    },
  };
};

/** A sign-in link that confirmed who they are was opened in another tab; browsers ask only in this one. */
const untilFocused = (): Promise<void> =>
  new Promise((resolve) => {
    if (document.hasFocus()) resolve();
    else window.addEventListener('focus', () => resolve(), { once: true });
  });

/** Creates a passkey on this device, and adds it to the account. */
export const addPasskey = async (name: string): Promise<void> => {
  const operator = session.value?.operator;
  const path = { id: operator?.id ?? '' };
  const options = await gateway.post('/admin/v1/operators/{id}/passkeys/challenge', { path });
  await untilFocused();
  const credential = await navigator.credentials
    .create({
      publicKey: {
        challenge: decode(options.challenge),
        rp: { id: options.rp_id, name: 'Rollgate' },
        user: {
          id: decode(options.user_handle),
          name: operator?.email ?? operator?.name ?? '',
          displayName: operator?.name ?? '',
        },
        pubKeyCredParams: options.algorithms.map((alg) => ({ type: 'public-key', alg })),
        timeout: options.timeout_ms,
        attestation: 'none',
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        excludeCredentials: options.existing.map((id) => ({ type: 'public-key', id: decode(id) })),
      },
    })
    .catch(notCreated);
  if (!(credential instanceof PublicKeyCredential)) return notCreated();
  const response = credential.response as AuthenticatorAttestationResponse;
  const publicKey = response.getPublicKey();
  if (publicKey === null)
    throw new Cancelled('This device creates passkeys of a kind that is not supported.');
  await gateway.post('/admin/v1/operators/{id}/passkeys', {
    path,
    body: {
      name,
      credential: {
        id: credential.id,
        client_data: encode(response.clientDataJSON),
        authenticator_data: encode(response.getAuthenticatorData()),
        public_key: encode(publicKey),
      },
    },
  });
};
