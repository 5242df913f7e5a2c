import type { ConfigProblem } from '../../../config/config-error.js';
import { type Check, fail, ok, warn, skip } from '../check.js';
import { readSlugs } from '../../store/inspect/inspect-database.js';
import { z } from 'zod';
import { requestGateway } from '../request-gateway.js';

/** The settings are valid, including the secrets they refer to. */
export const checkConfiguration: Check = ({ problems, connectorProblems = [], warnings = [] }) => {
  if (problems.length === 0 && connectorProblems.length > 0)
    return warn(
      `The settings of connectors have ${countOf(connectorProblems)}: ${listOf(connectorProblems)}`,
      'Correct them; until then the gateway runs without these connectors.',
      { problems: connectorProblems },
    );
  if (problems.length === 0 && warnings.length > 0)
    return warn(
      `The settings are valid, but: ${listOf(warnings)}`,
      'Move secrets to files or environment variables that only the gateway can read.',
      { problems: warnings },
    );
  if (problems.length === 0) return ok('The settings are valid.');
  return fail(
    `The settings have ${countOf(problems)}: ${listOf(problems)}`,
    'Correct them; the gateway does not start until then.',
    { problems },
  );
};

const countOf = ({ length }: readonly ConfigProblem[]): string =>
  length === 1 ? '1 error' : `${length} errors`;

const listOf = (problems: readonly ConfigProblem[]): string =>
  withFullStop(problems.map(lineOf).join('; '));

const lineOf = ({ place, key, message }: ConfigProblem): string =>
  [place, key, message].filter((part) => part !== '').join(': ');

/** Suggestions end with a question mark. */
const withFullStop = (text: string): string => (text.endsWith('?') ? text : `${text}.`);

/** Of a section that may have errors, which the check "configuration" reports. */
const tenantOf = (section: unknown): string | undefined => {
  if (typeof section !== 'object' || section === null) return undefined;
  const { tenant, enabled = true } = section as {
    readonly tenant?: unknown;
    readonly enabled?: unknown;
  };
  const isEnabled = enabled !== false && enabled !== 'false';
  return isEnabled && typeof tenant === 'string' ? tenant : undefined;
};

/** The tenants of enabled connectors exist: without its tenant, a connector never runs. */
export const checkConnectors: Check = async ({ config, database }) => {
  const connectors = Object.entries(config().connectors).flatMap(([name, section]) => {
    const tenant = tenantOf(section);
    return tenant === undefined ? [] : [{ name, tenant }];
  });
  if (connectors.length === 0) return skip('No connectors are enabled.');
  const slugs = await readSlugs(
    await database(),
    connectors.map(({ tenant }) => tenant),
  );
  const lost = connectors.filter(({ tenant }) => !slugs.has(tenant));
  if (lost.length === 0) return ok('The tenants of all connectors exist.');
  return warn(
    `Connectors without their tenant: ${lost.map(({ name, tenant }) => `${name} (${tenant})`).join(', ')}.`,
    'Create the tenant, or correct "tenant" in the section of the connector.',
    { connectors: lost },
  );
};

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
