import { adminTokenError } from '../../domain/kernel/bearer-token.js';
import { requestGateway } from '../request-gateway.js';
import { createTokenHash } from '../../secrets/local-secrets.js';
import { isRetiredToken } from '../../store/shared-secrets.js';
import type { AdminToken, DoctorContext, GatewayAccess, GatewayAddress } from '../context.js';
import {
  type Check,
  type CheckResult,
  CheckSkipped,
  fail,
  ok,
  reveal,
  skip,
  warn,
} from '../check-result.js';
import { readSecretKey } from './secret-key.js';

/** The admin token exists, is strong enough, and is accepted by the running gateway. */
export const checkAdminToken: Check = async (context) => {
  const { token, address } = context.gateway;
  const result = await checkFound(token, address);
  return result.status === 'OK' && (await isRetired(context)) ? retired() : result;
};

const checkFound = async (
  token: GatewayAccess['token'],
  address: GatewayAccess['address'],
): Promise<CheckResult> => {
  if ('missing' in token) return skip(token.missing);
  const fault = adminTokenError(token.value);
  if (fault !== undefined)
    return fail(`The admin token (${token.from}) ${fault}.`, 'No gateway accepts it. Replace it.');
  if ('missing' in address) return notVerified(token, address.missing);
  if (!address.isConfidential)
    return notVerified(token, `It is not sent unencrypted to ${new URL(address.url).hostname}.`);
  return verify(address, token);
};

/** Whether a rotation has replaced the configured token: a gateway does not start with it. */
const isRetired = async (context: DoctorContext): Promise<boolean> => {
  try {
    const { adminToken } = context.config();
    const key = await readSecretKey(context);
    if (adminToken === null || key === undefined) return false;
    const { database } = await context.database();
    const hash = createTokenHash(key)(reveal(adminToken, 'adminToken'));
    return await isRetiredToken(database, hash);
  } catch (error) {
    if (error instanceof CheckSkipped) return false;
    throw error;
  }
};

const retired = (): CheckResult =>
  fail(
    'The configured admin token is one that "rollgate admin-token rotate" has replaced.',
    'Configure another one, or none to keep the current one; the gateway does not start until then.',
  );

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
