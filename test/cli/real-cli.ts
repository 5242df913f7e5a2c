import type { TestGateway, TestTenant } from '../support/gateway.js';
import { type CliEnvironment, type CliRun, runCli } from '../support/run-cli.js';

export type RunCli = (words: readonly string[], more?: CliEnvironment) => Promise<CliRun>;

/** `rollgate` as an operator: with the gateway's address and its admin token. */
export const operatorCli =
  (gateway: TestGateway): RunCli =>
  async (words, more = {}) => {
    const { url, adminToken } = await gateway.open();
    const env = { ROLLGATE_URL: url, ROLLGATE_ADMIN_TOKEN: adminToken, ...more.env };
    return runCli(words, { now: new Date(), ...more, env });
  };

/** `rollgate` with an API key of the tenant, and no admin token. */
export const tenantCli =
  (gateway: TestGateway, tenant: () => Pick<TestTenant, 'key'>): RunCli =>
  async (words, more = {}) => {
    const { url } = await gateway.open();
    const env = { ROLLGATE_URL: url, ROLLGATE_API_KEY: tenant().key, ...more.env };
    return runCli(words, { now: new Date(), ...more, env });
  };
