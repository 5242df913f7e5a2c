import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { configJsonSchema } from '../../config/config-json-schema.js';
import { describeConfig } from '../../config/describe-config.js';
import { nearestName } from '../../config/did-you-mean.js';
import { loadConfig } from '../../config/load-config.js';

const NO_FOLDER = '/nonexistent';

const settingsByKey = (env: NodeJS.ProcessEnv) =>
  new Map(
    describeConfig(loadConfig({ env, cwd: NO_FOLDER })).map((setting) => [setting.key, setting]),
  );

describe('describeConfig', () => {
  it('returns every setting with its value and source', () => {
    const settings = settingsByKey({ ROLLGATE_RATE_LIMIT: '1200' });
    expect(settings.get('port')).toEqual({
      key: 'port',
      value: 8080,
      origin: 'default',
      variable: 'ROLLGATE_PORT',
    });
    expect(settings.get('rateLimit.perMinute')).toEqual({
      key: 'rateLimit.perMinute',
      value: 1200,
      origin: 'environment variable ROLLGATE_RATE_LIMIT',
      variable: 'ROLLGATE_RATE_LIMIT',
    });
  });

  it('returns durations in the format of the file', () => {
    expect(settingsByKey({}).get('retention.commandLog')?.value).toBe('90d');
  });

  it('returns no secrets', () => {
    const env = { ROLLGATE_ADMIN_TOKEN: 'hunter2', ROLLGATE_MONGODB_URI: 'mongodb://u:hunter2@h' };
    const settings = settingsByKey(env);
    expect(JSON.stringify([...settings.values()])).not.toContain('hunter2');
    expect(settings.get('adminToken')?.value).toBe('(hidden)');
    expect(settings.get('secretKey')?.value).toBeNull();
  });
});

describe('the JSON Schema of the settings', () => {
  const webhooks = z.strictObject({ retry: z.array(z.string()).default(['5s']).describe('When.') });
  const schema = configJsonSchema([{ name: 'webhooks', settings: webhooks }]);

  it('contains keys, defaults and descriptions', () => {
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      additionalProperties: false,
      properties: {
        port: { type: 'integer', minimum: 0, maximum: 65535, default: 8080 },
        retention: { properties: { events: { type: 'string', default: '30d' } } },
        plugins: { properties: { webhooks: { properties: { retry: { description: 'When.' } } } } },
      },
    });
  });

  it('describes every setting', () => {
    const undescribed: string[] = [];
    const walk = (node: unknown, key: string): void => {
      const { description, properties } = node as {
        description?: string;
        properties?: Record<string, unknown>;
      };
      if (description === undefined) undescribed.push(key);
      for (const [name, inner] of Object.entries(properties ?? {})) walk(inner, `${key}.${name}`);
    };
    for (const [name, node] of Object.entries(schema.properties as Record<string, unknown>)) {
      if (name !== 'plugins') walk(node, name);
    }
    expect(undescribed).toEqual([]);
  });

  it('requires nothing', () => {
    expect(schema).not.toHaveProperty('required');
  });
});

describe('nearestName', () => {
  const known = ['host', 'port', 'publicUrl', 'rateLimit', 'retention'];

  it.each([
    ['prot', 'port'],
    ['hsot', 'host'],
    ['publicurl', 'publicUrl'],
    ['rate_limit', 'rateLimit'],
    ['retentions', 'retention'],
  ])('suggests for %s: %s', (given, meant) => {
    expect(nearestName(given, known)).toBe(meant);
  });

  it('suggests nothing for an unrelated word', () => {
    expect(nearestName('colour', known)).toBeUndefined();
  });
});
