import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a delivery is from whom it says, as a receiver finds out: written from the document
 * alone (interface.md, Delivery headers), without a line of the gateway's own signing.
 */
export const isGenuine = (secret: string, headers: IncomingHttpHeaders, body: Buffer): boolean => {
  const given = headers['x-service-signature'];
  if (typeof given !== 'string') return false;
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return (
    given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected))
  );
};
