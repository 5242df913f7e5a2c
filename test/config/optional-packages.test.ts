import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load-config.js';
import { findMissingPackages } from '../../src/start/check-config.js';

const OIDC = {
  ROLLGATE_OPERATORS_OIDC_ISSUER: 'https://id.example.com',
  ROLLGATE_OPERATORS_OIDC_CLIENT_ID: 'rollgate',
};
const TRACES = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

const find = (env: NodeJS.ProcessEnv, installed?: readonly string[]) =>
  findMissingPackages(
    loadConfig({ env, cwd: '/nowhere' }).config,
    env,
    installed && ((name) => installed.includes(name)),
  );

describe('packages that settings need', () => {
  it('are none without such a setting', () => {
    expect(find({}, [])).toEqual([]);
  });

  it('are named with the command that installs them', () => {
    expect(find({ ...OIDC, ...TRACES }, [])).toEqual([
      {
        setting: ['telemetry', 'endpoint'],
        message:
          'needs packages that are not installed; run where Rollgate is installed: npm install ' +
          '@opentelemetry/sdk-trace-base @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources',
      },
      {
        setting: ['operators', 'oidc', 'issuer'],
        message:
          'needs packages that are not installed; run where Rollgate is installed: npm install openid-client',
      },
    ]);
  });

  it('are found where they are installed', () => {
    expect(find({ ...OIDC, ...TRACES })).toEqual([]);
  });
});
