import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Verifies the signature of a delivery as a receiver does. Written from interface.md (Delivery
 * headers), independently of the gateway's signing code.
 */
export const hasValidSignature = (
  secret: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
): boolean => {
  const signature = headers['x-service-signature'];
  if (typeof signature !== 'string') return false;
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return (
    signature.length === expected.length &&
    timingSafeEqual(Buffer.from(signature), Buffer.from(expected))
  );
};
