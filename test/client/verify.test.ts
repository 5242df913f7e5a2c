import { describe, expect, expectTypeOf, it } from 'vitest';
import { generateSecret } from '../../plugins/webhooks/signing.js';
import { signingKeysOf, signatureHeaders } from '../../src/plugin/api.js';
import { EVENT_NAMES, type EventName } from '../../src/domain/events.js';
import {
  type VerificationFailure,
  verify,
  type WebhookEvent,
  type WebhookEventName,
  type WebhookEventOf,
  WebhookVerificationError,
} from '../../src/client/index.js';

const NOW = new Date('2026-11-22T12:00:00.000Z');
const ID = '3f0a8c44-6c0b-4f6e-9f6d-2b9a2a6f5a10';
const BODY = '{"event":"user.created","data":{"user":{"display_name":"Zoë 😀"}}}';
const OLD = generateSecret();
const NEW = generateSecret();
const OWN = 'schlüssel-für-Zoë-😀';

const sign = (secret: string, body = BODY) =>
  signatureHeaders(signingKeysOf(secret), { id: ID, body: Buffer.from(body), at: NOW });
/** As Node.js has them. */
const lowerCase = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const now = (seconds = 0) => ({ now: () => new Date(NOW.getTime() + seconds * 1_000) });

const failureOf = (call: Promise<unknown>): Promise<VerificationFailure | undefined> =>
  call.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof WebhookVerificationError) return error.code;
      throw error;
    },
  );

describe.each(['standard', 'service'] as const)('verify, scheme %s', (scheme) => {
  const options = { scheme, ...now() };

  it.each([
    ['generated', OLD],
    ['your own', OWN],
  ])('resolves with the event of a delivery signed with a %s secret', async (_what, secret) => {
    expect(await verify(BODY, sign(secret), secret, options)).toEqual(JSON.parse(BODY));
  });

  it('reads headers of Node.js and of the fetch standard, and bodies as bytes', async () => {
    const bytes = Buffer.from(BODY);
    await verify(bytes, lowerCase(sign(OLD)), OLD, options);
    await verify(bytes, new Headers(sign(OLD)), OLD, options);
  });

  it('refuses a changed body, another secret and a signature of another form', async () => {
    const headers = sign(OLD);
    expect(await failureOf(verify(`${BODY} `, headers, OLD, options))).toBe('WRONG_SIGNATURE');
    expect(await failureOf(verify(BODY, headers, NEW, options))).toBe('WRONG_SIGNATURE');
    const broken = { ...headers, 'X-Service-Signature': 'sha256=zz', 'webhook-signature': 'v1,%' };
    expect(await failureOf(verify(BODY, broken, OLD, options))).toBe('WRONG_SIGNATURE');
  });

  it.each([
    ['the old secret', OLD],
    ['the new secret', NEW],
  ])('accepts %s during a rotation, whichever signs first', async (_what, installed) => {
    const signed = { id: ID, body: Buffer.from(BODY), at: NOW };
    const switched = signatureHeaders(signingKeysOf(NEW), signed, {
      previous: [signingKeysOf(OLD)],
    });
    const waiting = signatureHeaders(signingKeysOf(OLD), signed, { next: signingKeysOf(NEW) });
    for (const headers of [switched, waiting]) await verify(BODY, headers, installed, options);
  });

  it('accepts any of several secrets', async () => {
    await verify(BODY, sign(OLD), [NEW, OLD], options);
  });

  it('refuses a request without its header', async () => {
    expect(await failureOf(verify(BODY, {}, OLD, options))).toBe('MISSING_HEADER');
  });
});

describe('verify', () => {
  it.each([
    [299, undefined],
    [-299, undefined],
    [301, 'TOO_OLD'],
    [-301, 'TOO_NEW'],
  ])('at %i s from the signature: %s', async (seconds, failure) => {
    expect(await failureOf(verify(BODY, sign(OLD), OLD, now(seconds)))).toBe(failure);
  });

  it('does not fall back to the signature without a time', async () => {
    const { 'X-Service-Signature': signature = '' } = sign(OLD);
    const stripped = { 'x-service-signature': signature };
    expect(await failureOf(verify(BODY, stripped, OLD, now()))).toBe('MISSING_HEADER');
  });

  it('refuses a time that is none, and a body that is not JSON', async () => {
    const headers = { ...sign(OLD), 'webhook-timestamp': 'today' };
    expect(await failureOf(verify(BODY, headers, OLD, now()))).toBe('INVALID_TIMESTAMP');
    expect(await failureOf(verify('{', sign(OLD, '{'), OLD, now()))).toBe('NOT_JSON');
  });
});

describe('WebhookEvent', () => {
  it('has the events of the gateway, distinguished by their names', () => {
    expectTypeOf<WebhookEventName>().toEqualTypeOf<EventName>();
    expectTypeOf<WebhookEventOf<'room.member_added'>['data']>().toHaveProperty('tx_permission');
    const roomOf = (event: WebhookEvent): string | undefined =>
      event.event === 'room.member_added' ? event.data.room.name : undefined;
    expect(roomOf).toBeTypeOf('function');
    expect(EVENT_NAMES).toContain('room.member_added');
  });
});
