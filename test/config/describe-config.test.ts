import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { configJsonSchema } from '../../config/config-json-schema.js';
import { describeConfig } from '../../config/describe-config.js';
import { nearestName } from '../../config/did-you-mean.js';
import { loadConfig } from '../../config/load-config.js';

const NOWHERE = '/nonexistent';

const described = (env: NodeJS.ProcessEnv) =>
  new Map(
    describeConfig(loadConfig({ env, cwd: NOWHERE })).map((setting) => [setting.key, setting]),
  );

describe('what config show tells', () => {
  it('is every setting, its value and who set it', () => {
    const settings = described({ ROLLGATE_RATE_LIMIT: '1200' });
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

  it('has durations as they stand in the file', () => {
    expect(described({}).get('retention.commandLog')?.value).toBe('90d');
  });

  it('has no secrets', () => {
    const env = { ROLLGATE_ADMIN_TOKEN: 'hunter2', ROLLGATE_MONGODB_URI: 'mongodb://u:hunter2@h' };
    const settings = described(env);
    expect(JSON.stringify([...settings.values()])).not.toContain('hunter2');
    expect(settings.get('adminToken')?.value).toBe('(hidden)');
    expect(settings.get('secretKey')?.value).toBeNull();
  });
});

describe('the JSON Schema of the settings', () => {
  const webhooks = z.strictObject({ retry: z.array(z.string()).default(['5s']).describe('When.') });
  const schema = configJsonSchema({ webhooks });

  it('knows keys, defaults and meanings', () => {
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

  it('explains every setting', () => {
    const mute: string[] = [];
    const walk = (node: unknown, key: string): void => {
      const { description, properties } = node as {
        description?: string;
        properties?: Record<string, unknown>;
      };
      if (description === undefined) mute.push(key);
      for (const [name, inner] of Object.entries(properties ?? {})) walk(inner, `${key}.${name}`);
    };
    for (const [name, node] of Object.entries(schema.properties as Record<string, unknown>)) {
      if (name !== 'plugins') walk(node, name);
    }
    expect(mute).toEqual([]);
  });

  it('requires nothing', () => {
    expect(schema).not.toHaveProperty('required');
  });
});

describe('a slip of the finger', () => {
  const known = ['host', 'port', 'publicUrl', 'rateLimit', 'retention'];

  it.each([
    ['prot', 'port'],
    ['hsot', 'host'],
    ['publicurl', 'publicUrl'],
    ['rate_limit', 'rateLimit'],
    ['retentions', 'retention'],
  ])('%s is taken for %s', (given, meant) => {
    expect(nearestName(given, known)).toBe(meant);
  });

  it('is not seen in a word of its own', () => {
    expect(nearestName('colour', known)).toBeUndefined();
  });
});
