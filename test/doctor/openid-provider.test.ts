import { afterAll, describe, expect, it } from 'vitest';
import { checkOpenIdProvider } from '../../src/doctor/checks/configuration.js';
import { openTestOpenIdProvider } from '../support/openid-provider.js';
import { runCheck } from '../support/doctor.js';

const provider = await openTestOpenIdProvider();
afterAll(provider.close);

const withIssuer = (issuer: string) =>
  runCheck(checkOpenIdProvider, {
    env: {
      ROLLGATE_OPERATORS_OIDC_ISSUER: issuer,
      ROLLGATE_OPERATORS_OIDC_CLIENT_ID: 'rollgate',
      ROLLGATE_OPERATORS_OIDC_ROLES: '[{"group": "owners", "role": "owner"}]',
    },
  });

describe('the check of the OpenID provider', () => {
  it('passes if the provider answers', async () => {
    expect(await withIssuer(provider.issuer)).toMatchObject({ status: 'OK' });
  });

  it('fails if the provider has another name, or is none', async () => {
    const other = provider.issuer.replace('127.0.0.1', 'localhost');
    expect(await withIssuer(other)).toMatchObject({
      status: 'FAIL',
      remedy: expect.stringContaining('operators.oidc.issuer') as unknown,
    });
    expect(await withIssuer(`${provider.issuer}/tenant`)).toMatchObject({ status: 'FAIL' });
    expect(await withIssuer('http://127.0.0.1:1')).toMatchObject({ status: 'FAIL' });
  });

  it('is skipped without a provider', async () => {
    expect(await runCheck(checkOpenIdProvider)).toMatchObject({ status: 'SKIP' });
  });
});
