import { isIP } from 'node:net';
import { withinTime } from '../../plugin/within-time.js';
import { codeOf } from '../reason-of.js';
import { roughDuration } from '../rough-duration.js';
import { type Check, type CheckResult, fail, ok, skip, warn } from '../check-result.js';

/** Reserved by IANA, and always resolvable (RFC 6761, 6.5). */
const WELL_KNOWN = 'example.com';

/** On a network that drops outgoing packets, the resolver waits for its full timeout. */
const TIMEOUT_MS = 5_000;

/** Names can be resolved, as for every delivery. */
export const checkWebhookNames: Check = async ({ egress, resolve, clocks }) => {
  const name = egress?.host ?? WELL_KNOWN;
  if (isIP(name) !== 0) return skip(`${name} is an address; there is no name to resolve.`);
  const start = clocks.elapsed();
  try {
    const addresses = await withinTime(TIMEOUT_MS, () => resolve(name));
    const took = roughDuration(clocks.elapsed() - start);
    return ok(`${name} resolved in ${took}.`, { name, addresses });
  } catch (error) {
    return evaluateFailure(name, codeOf(error), egress !== undefined);
  }
};

const evaluateFailure = (name: string, code: string, isGiven: boolean): CheckResult => {
  const message = `Cannot resolve ${name} (${code}).`;
  if (isGiven)
    return fail(message, 'Correct the name or the resolver (/etc/resolv.conf, /etc/hosts).', {
      name,
    });
  const remedy =
    'If webhooks leave this network, correct the resolver (/etc/resolv.conf). If not, test an ' +
    'internal receiver: --egress-host receiver.internal';
  // No Internet access is not an error.
  return { ...warn(message, remedy, { name }), isAdvice: true };
};
