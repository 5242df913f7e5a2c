import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

interface Made {
  readonly type?: string;
  readonly challenge: string;
  readonly origin?: string;
  readonly rpId?: string;
  readonly crossOrigin?: boolean;
  /** Default: the person was present and verified. */
  readonly flags?: number;
  readonly counter?: number;
}

const PRESENT_AND_VERIFIED = 0x05;
const HAS_CREDENTIAL = 0x40;

const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest();
const base64url = (data: Buffer): string => data.toString('base64url');

/** An authenticator with one passkey, written from W3C Web Authentication, level 2, 5.8.1 and 6.1. */
export class Authenticator {
  readonly id = randomBytes(32);
  readonly #key: KeyObject;
  readonly publicKey: string;

  constructor(
    readonly origin: string,
    readonly rpId = 'localhost',
    algorithm: 'ES256' | 'RS256' | 'EdDSA' | 'ES384' = 'ES256',
  ) {
    const pair = {
      ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
      ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
      RS256: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
      EdDSA: () => generateKeyPairSync('ed25519'),
    }[algorithm]();
    this.#key = pair.privateKey;
    this.publicKey = base64url(pair.publicKey.export({ type: 'spki', format: 'der' }));
  }

  /** What a browser returns for `navigator.credentials.create()`. */
  create(made: Made) {
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, this.id.length]), this.id]);
    return {
      id: base64url(this.id),
      client_data: this.#clientData({ type: 'webauthn.create', ...made }),
      authenticator_data: base64url(Buffer.concat([this.#data(made, HAS_CREDENTIAL), attested])),
      public_key: this.publicKey,
    };
  }

  /** What a browser returns for `navigator.credentials.get()`. */
  get(made: Made & { readonly userHandle?: string | null }) {
    const clientData = this.#clientData({ type: 'webauthn.get', ...made });
    const data = this.#data(made);
    const signed = Buffer.concat([data, sha256(Buffer.from(clientData, 'base64url'))]);
    const hash = this.#key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
    return {
      id: base64url(this.id),
      client_data: clientData,
      authenticator_data: base64url(data),
      signature: base64url(sign(hash, signed, this.#key)),
      user_handle: made.userHandle ?? null,
    };
  }

  #clientData({ type, challenge, origin = this.origin, crossOrigin }: Made): string {
    return base64url(Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin })));
  }

  #data({ rpId = this.rpId, flags = PRESENT_AND_VERIFIED, counter = 0 }: Made, more = 0): Buffer {
    const rest = Buffer.alloc(5);
    rest.writeUInt8(flags | more);
    rest.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(rpId), rest]);
  }
}
