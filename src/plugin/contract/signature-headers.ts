import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** The two keys that a secret stands for. */
export interface SigningKeys {
  /** The UTF-8 bytes of the whole secret as it is shown: for `X-Service-Signature`. */
  readonly service: KeyObject;
  /** What the Standard Webhooks libraries make of the secret: for `webhook-signature`. */
  readonly standard: KeyObject;
}

/** `whsec_` and 32 bytes in standard base64 with padding: the form of generated secrets. */
const GENERATED = /^whsec_([A-Za-z0-9+/]{43}=)$/;

/** The keys of a secret, generated or given. */
export const signingKeysOf = (secret: string): SigningKeys => {
  const [, base64] = GENERATED.exec(secret) ?? [];
  const service = createSecretKey(secret, 'utf8');
  return {
    service,
    standard: base64 === undefined ? service : createSecretKey(base64, 'base64'),
  };
};

/** What is signed: the same in every attempt of a delivery, but for the time. */
interface Signed {
  /** The event's id: the same for every registration, as that specification intends. */
  readonly id: string;
  readonly body: Uint8Array;
  /** When this attempt is made. */
  readonly at: Date;
}

/** Of secrets that sign beside the current one during a rotation. */
interface OtherKeys {
  /** Newest first. */
  readonly previous?: readonly SigningKeys[];
  readonly next?: SigningKeys | undefined;
}

const ofBody = ({ service }: SigningKeys, body: Uint8Array): string =>
  `sha256=${createHmac('sha256', service).update(body).digest('hex')}`;

/**
 * The headers that prove where a delivery comes from: interface.md's, and the trio of the Standard
 * Webhooks specification. One value in lower case each: verifiers take no more (decisions.md 7).
 * During a rotation other secrets sign too: in headers of their own, one value unless there were more
 * rotations than one, and in the trio's list.
 */
export const signatureHeaders = (
  keys: SigningKeys,
  { id, body, at }: Signed,
  { previous = [], next }: OtherKeys = {},
): Readonly<Record<string, string>> => {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const ofMessage = ({ standard }: SigningKeys): string =>
    `v1,${createHmac('sha256', standard).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
  return {
    'X-Service-Signature': ofBody(keys, body),
    ...(previous.length > 0 && {
      'X-Service-Signature-Previous': previous.map((each) => ofBody(each, body)).join(', '),
    }),
    ...(next && { 'X-Service-Signature-Next': ofBody(next, body) }),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': [keys, ...(next ? [next] : []), ...previous].map(ofMessage).join(' '),
  };
};
