import { createAddressGuard } from '../../plugin/outbound/address-guard.js';
import { type Check, NotCheckable, ok, warn } from '../verdict.js';
import { webhookSettings } from '../webhook-settings.js';

/**
 * An address of every range that is not public. A range of the list is one of these, or within one,
 * or around one: in each case its own first address or one of these shows it.
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

/** Which private networks the tenants' webhooks may reach: each of them is the operator's to know. */
export const checkWebhookRanges: Check = (context) => {
  const { allow } = webhookSettings(context);
  const opening = allow.filter(opensPrivate);
  if (opening.length === 0) return ok('Webhooks reach public addresses only.', { allow });
  return warn(
    `Webhooks of every tenant may reach what is not public: ${opening.join(', ')}.`,
    'Keep plugins.webhooks.allow (ROLLGATE_WEBHOOKS_ALLOW) as narrow as can be: addresses of receivers, not networks.',
    { allow, opening },
  );
};

const NOTHING_LISTED = createAddressGuard([]);

/** By the guard itself: what it admits with the range, and does not without. */
const opensPrivate = (range: string): boolean => {
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
    throw new NotCheckable(`"${range}" is no address range, see configuration.`);
  }
};
