import { adminTokenFault } from '../../domain/bearer-token.js';
import { askGateway } from '../ask-gateway.js';
import type { AdminToken, GatewayAddress } from '../context.js';
import { type Check, fail, ok, skip, type Verdict, warn } from '../verdict.js';

/** The operators' token is there, cannot be guessed, and is the running gateway's. */
export const checkAdminToken: Check = async ({ gateway: { token, address } }) => {
  if ('missing' in token) return skip(token.missing);
  const fault = adminTokenFault(token.value);
  if (fault !== undefined)
    return fail(`The token of ${token.from} ${fault}.`, 'No gateway takes it: replace it.');
  if ('missing' in address) return untried(token, address.missing);
  if (!address.isConfidential)
    return untried(token, `It is not sent unencrypted to ${new URL(address.url).hostname}.`);
  return tryOn(address, token);
};

const untried = ({ from }: AdminToken, why: string): Verdict =>
  ok(`There is a token (${from}), not tried. ${why}`, { from });

const tryOn = async ({ url }: GatewayAddress, { value, from }: AdminToken): Promise<Verdict> => {
  const answer = await askGateway(`${url}/admin/v1/tenants?limit=1`, {
    accept: 'application/json',
    authorization: `Bearer ${value}`,
  });
  if ('fault' in answer) return untried({ value, from }, 'No gateway runs to try it on.');
  const details = { from, url, status: answer.status };
  if (answer.status === 200) return ok(`The gateway at ${url} takes the token (${from}).`, details);
  if (answer.status === 401)
    return fail(
      `The gateway at ${url} does not take the token (${from}).`,
      'It was replaced, or is that of another database. Give the valid one by ROLLGATE_ADMIN_TOKEN, or --token.',
      details,
    );
  return warn(
    `The gateway at ${url} answered ${answer.status} to the token (${from}).`,
    'See the line on the gateway.',
    details,
  );
};
