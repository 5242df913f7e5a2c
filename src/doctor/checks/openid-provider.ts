import { z } from 'zod';
import { type Check, fail, ok, skip } from '../check-result.js';
import { requestGateway } from '../request-gateway.js';

const Metadata = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
});

/** OpenID Connect Discovery 1.0, 4. */
const DISCOVERY = '/.well-known/openid-configuration';

const withoutSlash = (url: string): string => url.replace(/\/$/, '');

/** The OpenID provider of the operators answers, and is the configured one. */
export const checkOpenIdProvider: Check = async ({ config }) => {
  const { issuer } = config().operators.oidc;
  if (issuer === null) return skip('No OpenID provider is configured (operators.oidc).');
  const response = await requestGateway(withoutSlash(issuer) + DISCOVERY);
  if ('fault' in response)
    return fail(
      `The OpenID provider ${issuer} does not answer (${response.fault}).`,
      'Check operators.oidc.issuer, and that this machine reaches it: DNS, proxy, firewall, TLS.',
    );
  const metadata = Metadata.safeParse(response.body);
  if (response.status !== 200 || !metadata.success)
    return fail(
      `${issuer} answers ${response.status} without OpenID metadata.`,
      `operators.oidc.issuer must be the URL to which ${DISCOVERY} is added.`,
      { issuer, status: response.status },
    );
  if (withoutSlash(metadata.data.issuer) !== withoutSlash(issuer))
    return fail(
      `The OpenID provider calls itself ${metadata.data.issuer}, not ${issuer}.`,
      `Set operators.oidc.issuer to ${metadata.data.issuer}, if that is your provider.`,
      { issuer, found: metadata.data.issuer },
    );
  return ok(`The OpenID provider ${issuer} answers.`, { issuer });
};
