import { isIP } from 'node:net';
import { withinTime } from '../../plugin/within-time.js';
import { codeOf } from '../reason-of.js';
import { roughDuration } from '../rough-duration.js';
import { type Check, fail, ok, skip, type Verdict, warn } from '../verdict.js';

/** IANA's, and there to be looked up by anybody (RFC 6761, 6.5). */
const WELL_KNOWN = 'example.com';

/** A network that drops outgoing packets makes a resolver wait for its full time-out. */
const PATIENCE_MS = 5_000;

/** Names are resolved, which every delivery of a webhook begins with. */
export const checkWebhookNames: Check = async ({ egress, resolve, clocks }) => {
  const name = egress?.host ?? WELL_KNOWN;
  if (isIP(name) !== 0) return skip(`${name} is an address: there is no name to resolve.`);
  const start = clocks.elapsed();
  try {
    const addresses = await withinTime(PATIENCE_MS, () => resolve(name));
    const took = roughDuration(clocks.elapsed() - start);
    return ok(`${name} was resolved in ${took}.`, { name, addresses });
  } catch (error) {
    return judgeFailure(name, codeOf(error), egress !== undefined);
  }
};

const judgeFailure = (name: string, code: string, isGiven: boolean): Verdict => {
  const message = `${name} could not be resolved (${code}).`;
  if (isGiven)
    return fail(message, 'Correct the name, or the resolver: /etc/resolv.conf, /etc/hosts.', {
      name,
    });
  const remedy =
    'Where webhooks leave this network: correct the resolver (/etc/resolv.conf). Where they do ' +
    'not: name a receiver, by --egress-host receiver.internal';
  // A network without the Internet is no fault of the gateway's.
  return { ...warn(message, remedy, { name }), isAdvice: true };
};
