import { createAddressGuard } from '../../plugin/outbound/address-guard.js';
import { type Check, CheckSkipped, ok, warn } from '../check-result.js';
import { webhookSettings } from '../webhook-settings.js';

/**
 * One address of every non-public range. A configured range equals one of these ranges, is within
 * one or contains one; in each case its first address or one of these shows it.
 */
const PRIVATE = [
  '0.0.0.0',
  '10.0.0.0',
  '100.64.0.0',
  '127.0.0.1',
  '169.254.0.0',
  '172.16.0.0',
  '192.168.0.0',
  '198.18.0.0',
  '224.0.0.0',
  '240.0.0.0',
  '::1',
  'fc00::',
  'fe80::',
  'ff00::',
];

/** Which private networks the webhooks of tenants can reach. */
export const checkWebhookRanges: Check = (context) => {
  const { allow } = webhookSettings(context);
  const opening = allow.filter(allowsPrivate);
  if (opening.length === 0) return ok('Webhooks can reach public addresses only.', { allow });
  return warn(
    `Webhooks of every tenant can reach non-public addresses: ${opening.join(', ')}.`,
    'Keep plugins.webhooks.allow (ROLLGATE_WEBHOOKS_ALLOW) narrow: addresses of receivers, not networks.',
    { allow, opening },
  );
};

const NOTHING_LISTED = createAddressGuard([]);

/** Whether the address guard allows a non-public address only with this range. */
const allowsPrivate = (range: string): boolean => {
  const [first = ''] = range.trim().split('/');
  const guard = guardWith(range);
  return [first, ...PRIVATE].some(
    (address) => guard.allows(address) && !NOTHING_LISTED.allows(address),
  );
};

const guardWith = (range: string): ReturnType<typeof createAddressGuard> => {
  try {
    return createAddressGuard([range]);
  } catch {
    throw new CheckSkipped(`"${range}" is not an address range; see configuration.`);
  }
};
