import type { components } from './generated/openapi.js';

/** The body of a delivery: a union that `event` discriminates. */
export type WebhookEvent = components['schemas']['Event'];

/** The name of an event: `user.created`. */
export type WebhookEventName = WebhookEvent['event'];

/** The event of this name. */
export type WebhookEventOf<Name extends WebhookEventName> = Extract<
  WebhookEvent,
  { readonly event: Name }
>;

/** What `POST …/webhooks/{id}/test` sends. It is not in the tenant's log, so it has no `seq`. */
export interface WebhookTestEvent {
  readonly id: string;
  readonly event: 'webhook.test';
  readonly tenant_id: string;
  readonly tenant_slug: string;
  readonly timestamp: string;
  readonly seq: null;
  readonly data: { readonly webhook: { readonly id: string; readonly description: string | null } };
}

/** As in `request.headers` of Node.js, or of the fetch standard. */
export type DeliveryHeaders =
  Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /**
   * Which headers to check. `standard`, the default: `webhook-signature`, which also covers the time,
   * so that a captured request cannot be replayed later. `service`: `X-Service-Signature`.
   */
  readonly scheme?: 'standard' | 'service';
  /** How far `webhook-timestamp` may be from this machine's clock. Default: 300. */
  readonly toleranceSeconds?: number;
  readonly now?: () => Date;
}

/** Why a request is not a delivery of this gateway. */
export type VerificationFailure =
  'MISSING_HEADER' | 'INVALID_TIMESTAMP' | 'TOO_OLD' | 'TOO_NEW' | 'WRONG_SIGNATURE' | 'NOT_JSON';

/** Respond with 401. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  constructor(
    readonly code: VerificationFailure,
    message: string,
  ) {
    super(message);
  }
}

const TOLERANCE_SECONDS = 300;

/**
 * Checks the signature of a delivery and resolves with its event; rejects with a
 * `WebhookVerificationError`. Signatures of all secrets that sign during a rotation are accepted.
 *
 * @param body The bytes as received, before any parser has changed them.
 * @param secret The secret as it was shown; several while you install a new one.
 */
export const verify = async (
  body: string | Uint8Array,
  headers: DeliveryHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent | WebhookTestEvent> => {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const { scheme = 'standard' } = options;
  const signed =
    scheme === 'standard'
      ? standardMessage(bytes, headers, options)
      : serviceMessage(bytes, headers);
  const keys = await Promise.all(secrets.map((text) => importKey(keyBytes(text, scheme))));
  // All of them, so that the time does not show which one matched.
  const results = await Promise.all(
    keys.flatMap((key) =>
      signed.signatures.map((signature) =>
        crypto.subtle.verify('HMAC', key, signature, signed.message),
      ),
    ),
  );
  if (!results.includes(true))
    throw new WebhookVerificationError('WRONG_SIGNATURE', 'No signature matches the secret.');
  return parseEvent(bytes);
};

type Bytes = Uint8Array<ArrayBuffer>;

interface Signed {
  readonly message: Bytes;
  readonly signatures: readonly Bytes[];
}

const valueOf = (headers: DeliveryHeaders, name: string): string | undefined => {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value =
    headers[name] ?? Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : value?.join(', ');
};

const headerOf = (headers: DeliveryHeaders, name: string): string => {
  const value = valueOf(headers, name);
  if (value !== undefined && value !== '') return value;
  throw new WebhookVerificationError('MISSING_HEADER', `The header ${name} is missing.`);
};

/** `webhook-signature`: `v1,<base64> v1,<base64>` of `<id>.<timestamp>.<body>`. */
const standardMessage = (
  body: Bytes,
  headers: DeliveryHeaders,
  { toleranceSeconds = TOLERANCE_SECONDS, now = () => new Date() }: VerifyOptions,
): Signed => {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookVerificationError('INVALID_TIMESTAMP', 'webhook-timestamp is not a number.');
  const age = now().getTime() / 1_000 - Number(timestamp);
  if (age > toleranceSeconds)
    throw new WebhookVerificationError('TOO_OLD', 'The request was signed too long ago.');
  if (age < -toleranceSeconds)
    throw new WebhookVerificationError('TOO_NEW', "The request was signed in this clock's future.");
  const prefix = new TextEncoder().encode(`${id}.${timestamp}.`);
  const message = new Uint8Array(prefix.length + body.length);
  message.set(prefix);
  message.set(body, prefix.length);
  const signatures = headerOf(headers, 'webhook-signature')
    .split(' ')
    .flatMap((each) => (each.startsWith('v1,') ? (fromBase64(each.slice(3)) ?? []) : []));
  return { message, signatures };
};

const SERVICE_HEADERS = [
  'x-service-signature',
  'x-service-signature-previous',
  'x-service-signature-next',
];

/** `X-Service-Signature`: `sha256=<hex>` of the body; more in the headers of a rotation. */
const serviceMessage = (body: Bytes, headers: DeliveryHeaders): Signed => {
  headerOf(headers, 'x-service-signature');
  const signatures = SERVICE_HEADERS.flatMap((name) => (valueOf(headers, name) ?? '').split(', '))
    .map((each) => /^sha256=([0-9a-f]{64})$/.exec(each)?.[1])
    .flatMap((hex) => (hex === undefined ? [] : fromHex(hex)));
  return { message: body, signatures };
};

/** `whsec_` and 32 bytes in base64: the form of generated secrets. */
const GENERATED = /^whsec_([A-Za-z0-9+/]{43}=)$/;

const keyBytes = (secret: string, scheme: 'standard' | 'service'): Bytes => {
  const [, base64] = GENERATED.exec(secret) ?? [];
  const decoded = scheme === 'standard' && base64 !== undefined ? fromBase64(base64) : undefined;
  return decoded ?? new TextEncoder().encode(secret);
};

const importKey = (bytes: Bytes) =>
  crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);

const fromBase64 = (text: string): Bytes | undefined => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
};

const fromHex = (text: string): Bytes =>
  Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

const parseEvent = (body: Bytes): WebhookEvent | WebhookTestEvent => {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent | WebhookTestEvent;
  } catch {
    throw new WebhookVerificationError('NOT_JSON', 'The body is not JSON.');
  }
};
