import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { isIP } from 'node:net';
import { z } from 'zod';
import { isLoopback } from '../../../config/is-loopback.js';

/**
 * The checks of W3C Web Authentication, level 2, that a relying party makes without attestation: 7.1
 * and 7.2. The browser parses the CBOR (`getPublicKey()`, `getAuthenticatorData()`), so what is left
 * is JSON, an array of fixed positions, and one signature by node:crypto (decision 0039).
 */

/** Where passkeys of this gateway work. */
export interface RelyingParty {
  /** The host that credentials are bound to. */
  readonly id: string;
  readonly origin: string;
}

/**
 * Undefined if browsers have no passkeys for this URL: they bind them to a name, not to an address.
 * On loopback, that is `localhost`.
 */
export const relyingPartyOf = (publicUrl: string): RelyingParty | undefined => {
  const { protocol, hostname, host, port, origin } = new URL(publicUrl);
  if (isLoopback(publicUrl)) {
    const at = port === '' ? '' : `:${port}`;
    return { id: 'localhost', origin: `${protocol}//localhost${at}` };
  }
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
  return protocol === 'https:' && !isAddress && host !== '' ? { id: hostname, origin } : undefined;
};

const bytes = (max: number) =>
  z
    .string()
    .max(Math.ceil((max * 4) / 3))
    .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url');

/** WebAuthn, 6.1: a credential's id has at most 1,023 bytes. */
const CREDENTIAL_ID = bytes(1_023);
const CLIENT_DATA = bytes(2_048).describe('`clientDataJSON`');
const AUTHENTICATOR_DATA = bytes(4_096).describe('`authenticatorData`');

/** What a browser returns for a new passkey. */
export const NewCredential = z.strictObject({
  id: CREDENTIAL_ID,
  client_data: CLIENT_DATA,
  authenticator_data: AUTHENTICATOR_DATA,
  public_key: bytes(1_024).describe('`getPublicKey()`: SubjectPublicKeyInfo'),
});

/** What a browser returns for a sign-in. */
export const Assertion = z.strictObject({
  id: CREDENTIAL_ID,
  client_data: CLIENT_DATA,
  authenticator_data: AUTHENTICATOR_DATA,
  signature: bytes(1_024),
  user_handle: bytes(64).nullable().describe("The operator's id, as the authenticator stored it."),
});

/** What a response must have been made for. */
export interface Expected {
  readonly relyingParty: RelyingParty;
  readonly challenge: string;
}

/** Why a response was not accepted; for the log. */
export class PasskeyFault extends Error {
  override readonly name = 'PasskeyFault';
}

const fail = (reason: string): never => {
  throw new PasskeyFault(reason);
};

const decode = (text: string): Buffer => Buffer.from(text, 'base64url');
const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest();

const ClientData = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
});

const parseClientData = (text: string): z.output<typeof ClientData> => {
  try {
    return ClientData.parse(JSON.parse(decode(text).toString('utf8')));
  } catch {
    return fail('the client data is not valid');
  }
};

const checkClientData = (
  clientData: string,
  type: 'webauthn.create' | 'webauthn.get',
  { relyingParty, challenge }: Expected,
): void => {
  const given = parseClientData(clientData);
  if (given.type !== type) fail('the client data is of another type');
  if (given.challenge !== challenge) fail('it answers another challenge');
  if (given.origin !== relyingParty.origin) fail('it is of another origin');
  if (given.crossOrigin === true) fail('it was made in a frame of another site');
};

/** WebAuthn, 6.1: hash of the relying party's id, flags, counter; then the new credential. */
const HASH_END = 32;
const COUNTER_AT = 33;
const HEADER_END = 37;
const CREDENTIAL_LENGTH_AT = 53;
const CREDENTIAL_AT = 55;
const FLAGS = { userPresent: 0x01, userVerified: 0x04, hasCredential: 0x40 } as const;

/** Returns the signature count. */
const checkAuthenticatorData = (data: Buffer, { relyingParty }: Expected): number => {
  if (data.length < HEADER_END) fail('the authenticator data is too short');
  if (!data.subarray(0, HASH_END).equals(sha256(relyingParty.id)))
    fail('it is for another relying party');
  const flags = data.readUInt8(HASH_END);
  if ((flags & FLAGS.userPresent) === 0) fail('nobody was present');
  if ((flags & FLAGS.userVerified) === 0) fail('the person was not verified');
  return data.readUInt32BE(COUNTER_AT);
};

/** The id in the authenticator data must be that of the credential. */
const checkCredentialId = (data: Buffer, id: string): void => {
  const hasCredential = (data.readUInt8(HASH_END) & FLAGS.hasCredential) !== 0;
  if (!hasCredential || data.length < CREDENTIAL_AT) fail('it contains no credential');
  const length = data.readUInt16BE(CREDENTIAL_LENGTH_AT);
  const given = data.subarray(CREDENTIAL_AT, CREDENTIAL_AT + length);
  if (!given.equals(decode(id))) fail('it contains another credential');
};

const MIN_RSA_BITS = 2_048;

/** ES256, EdDSA and RS256, in this order of preference (COSE, RFC 9053 and RFC 8812). */
export const ALGORITHMS = [-7, -8, -257] as const;

const isAccepted = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean => {
  if (asymmetricKeyType === 'ec') return asymmetricKeyDetails?.namedCurve === 'prime256v1';
  if (asymmetricKeyType === 'rsa')
    return (asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS;
  return asymmetricKeyType === 'ed25519';
};

const publicKeyOf = (text: string): KeyObject => {
  try {
    const key = createPublicKey({ key: decode(text), format: 'der', type: 'spki' });
    if (isAccepted(key)) return key;
  } catch {
    // Not a key at all.
  }
  return fail('its public key is not supported');
};

/** Checks a new passkey; returns its signature count. Throws PasskeyFault. */
export const verifyNewCredential = (
  given: z.output<typeof NewCredential>,
  expected: Expected,
): number => {
  checkClientData(given.client_data, 'webauthn.create', expected);
  const data = decode(given.authenticator_data);
  const counter = checkAuthenticatorData(data, expected);
  checkCredentialId(data, given.id);
  publicKeyOf(given.public_key);
  return counter;
};

/** Checks a sign-in with a passkey; returns its signature count. Throws PasskeyFault. */
export const verifyAssertion = (
  given: z.output<typeof Assertion>,
  publicKey: string,
  expected: Expected,
): number => {
  checkClientData(given.client_data, 'webauthn.get', expected);
  const data = decode(given.authenticator_data);
  const counter = checkAuthenticatorData(data, expected);
  const key = publicKeyOf(publicKey);
  const signed = Buffer.concat([data, sha256(decode(given.client_data))]);
  const hash = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  if (!verify(hash, signed, key, decode(given.signature))) fail('its signature is not valid');
  return counter;
};
