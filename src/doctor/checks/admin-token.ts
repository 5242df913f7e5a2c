import { adminTokenError } from '../../domain/kernel/bearer-token.js';
import { requestGateway } from '../request-gateway.js';
import type { AdminToken, GatewayAddress } from '../context.js';
import { type Check, type CheckResult, fail, ok, skip, warn } from '../check-result.js';

/** The admin token exists, is strong enough, and is accepted by the running gateway. */
export const checkAdminToken: Check = async ({ gateway: { token, address } }) => {
  if ('missing' in token) return skip(token.missing);
  const fault = adminTokenError(token.value);
  if (fault !== undefined)
    return fail(`The admin token (${token.from}) ${fault}.`, 'No gateway accepts it. Replace it.');
  if ('missing' in address) return notVerified(token, address.missing);
  if (!address.isConfidential)
    return notVerified(token, `It is not sent unencrypted to ${new URL(address.url).hostname}.`);
  return verify(address, token);
};

const notVerified = ({ from }: AdminToken, reason: string): CheckResult =>
  ok(`Admin token found (${from}), not verified. ${reason}`, { from });

const verify = async (
  { url }: GatewayAddress,
  { value, from }: AdminToken,
): Promise<CheckResult> => {
  const response = await requestGateway(`${url}/admin/v1/tenants?limit=1`, {
    accept: 'application/json',
    authorization: `Bearer ${value}`,
  });
  if ('fault' in response) return notVerified({ value, from }, 'No gateway is running.');
  const details = { from, url, status: response.status };
  if (response.status === 200)
    return ok(`The gateway at ${url} accepts the admin token (${from}).`, details);
  if (response.status === 401)
    return fail(
      `The gateway at ${url} does not accept the admin token (${from}).`,
      'It was replaced, or belongs to another database. Pass the valid one with ROLLGATE_ADMIN_TOKEN or --token.',
      details,
    );
  return warn(
    `The gateway at ${url} returned ${response.status} for the admin token (${from}).`,
    'See the check "gateway".',
    details,
  );
};
