import { createHmac } from 'node:crypto';
import { verify } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { generateSecret } from '../../../plugins/webhooks/signing.js';
import { signingKeysOf, signatureHeaders } from '../../../src/plugin/api.js';

const ID = '3f0a8c44-6c0b-4f6e-9f6d-2b9a2a6f5a10';
const BODIES = {
  'plain ASCII': '{"event":"user.created"}',
  'other scripts': '{"name":"Zoë Łukasz 山田 😀"}',
  'an empty object': '{}',
  'a trailing line break': '{"a":1}\n',
};
const OWN_SECRETS = {
  'ASCII of one’s own': 'correct horse battery staple',
  'UTF-8 of one’s own': 'schlüssel-für-Zoë-😀😀',
  'of one’s own that begins like a generated one': 'whsec_this-is-my-own-secret!',
  'of one’s own in base64url': 'whsec_C2FVsBQIhrscChlQIMV-b5sSYspob7oD1xQ3yPqLFjw=',
  'of one’s own that is shorter': 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
};
const GENERATED = Array.from({ length: 50 }, generateSecret);

const sign = (secret: string, body: string, at = new Date()) =>
  signatureHeaders(signingKeysOf(secret), { id: ID, body: Buffer.from(body), at });

const cases = Object.entries(BODIES).flatMap(([what, body]) =>
  Object.entries({ ...OWN_SECRETS, generated: generateSecret() }).map(
    ([whose, secret]) => [what, whose, body, secret] as const,
  ),
);

describe('X-Service-Signature', () => {
  it.each(cases)('of %s verifies at octokit’s under a secret %s', async (_w, _s, body, secret) => {
    const signature = sign(secret, body)['X-Service-Signature'] ?? '';
    expect(await verify(secret, body, signature)).toBe(true);
    expect(await verify(secret, `${body} `, signature)).toBe(false);
    expect(await verify(`${secret}x`, body, signature)).toBe(false);
  });

  it('is one value in lower case, over the whole secret as it is shown', () => {
    const secret = generateSecret();
    const expected = createHmac('sha256', Buffer.from(secret, 'utf8')).update('{}').digest('hex');
    expect(sign(secret, '{}')['X-Service-Signature']).toBe(`sha256=${expected}`);
  });
});

describe('the Standard Webhooks trio', () => {
  it('verifies at the standard library, which takes a generated secret as it is', () => {
    for (const secret of GENERATED)
      for (const body of Object.values(BODIES))
        expect(new Webhook(secret).verify(body, sign(secret, body))).toEqual(JSON.parse(body));
  });

  it.each(cases.filter(([, whose]) => whose !== 'generated'))(
    'of %s verifies there under a secret %s, taken as raw bytes',
    (_what, _whose, body, secret) => {
      const webhook = new Webhook(new TextEncoder().encode(secret), { format: 'raw' });
      expect(webhook.verify(body, sign(secret, body))).toEqual(JSON.parse(body));
    },
  );

  it('covers the id, the time and the body', () => {
    const secret = generateSecret();
    const webhook = new Webhook(secret);
    const headers = sign(secret, '{"a":1}');
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(() => webhook.verify('{"a":2}', headers)).toThrow('No matching signature');
    expect(() => webhook.verify('{"a":1}', { ...headers, 'webhook-id': 'x' })).toThrow('matching');
    expect(() => webhook.verify('{"a":1}', { ...headers, 'webhook-timestamp': later })).toThrow(
      'matching',
    );
  });

  it('carries the time of the attempt, in seconds', () => {
    const headers = sign('x'.repeat(16), '{}', new Date('2026-11-21T09:00:00.999Z'));
    expect(headers['webhook-timestamp']).toBe('1795251600');
    expect(headers['webhook-id']).toBe(ID);
  });
});

describe('secrets of before', () => {
  const body = '{"a":1}';
  const secrets = [generateSecret(), generateSecret(), 'a-secret-of-my-own'] as const;
  const signedBy = (...[now, ...before]: readonly string[]) =>
    signatureHeaders(
      signingKeysOf(now ?? ''),
      { id: ID, body: Buffer.from(body), at: new Date() },
      { previous: before.map(signingKeysOf) },
    );

  it('sign in a header of their own: one value, which octokit’s verifies', async () => {
    const headers = signedBy(secrets[0], secrets[2]);
    const previous = headers['X-Service-Signature-Previous'] ?? '';
    expect(await verify(secrets[0], body, headers['X-Service-Signature'] ?? '')).toBe(true);
    expect(await verify(secrets[2], body, previous)).toBe(true);
    expect(await verify(secrets[0], body, previous)).toBe(false);
  });

  it('sign in the trio, where each of them verifies at the standard library', () => {
    const headers = signedBy(...secrets);
    for (const secret of secrets.slice(0, 2))
      expect(new Webhook(secret).verify(body, headers)).toEqual({ a: 1 });
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(3);
    expect(headers['X-Service-Signature-Previous']?.split(', ')).toHaveLength(2);
  });

  it('add no header if there are none', () => {
    expect(signedBy(secrets[0])).not.toHaveProperty('X-Service-Signature-Previous');
    expect(signedBy(secrets[0])).not.toHaveProperty('X-Service-Signature-Next');
  });

  it('that are to take over sign in a header of their own, and in the trio', async () => {
    const headers = signatureHeaders(
      signingKeysOf(secrets[0]),
      { id: ID, body: Buffer.from(body), at: new Date() },
      { next: signingKeysOf(secrets[1]) },
    );
    expect(await verify(secrets[0], body, headers['X-Service-Signature'] ?? '')).toBe(true);
    expect(await verify(secrets[1], body, headers['X-Service-Signature-Next'] ?? '')).toBe(true);
    for (const secret of secrets.slice(0, 2))
      expect(new Webhook(secret).verify(body, headers)).toEqual({ a: 1 });
  });
});
