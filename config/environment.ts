import type { SettingPath } from './setting-path.js';

/** A variable that sets what the file could set, and wins over it. */
interface Variable {
  readonly name: string;
  readonly path: SettingPath;
  readonly read: (text: string) => unknown;
  /** An empty value says something, instead of nothing. */
  readonly mayBeEmpty?: boolean;
}

/** What is no number stays text, so that the schema's own words refuse it. */
const asNumber = (text: string): unknown => (/^\d+$/.test(text.trim()) ? Number(text) : text);

/** Kubernetes sets ROLLGATE_PORT=tcp://… by itself where a Service is called rollgate. */
const asPort = (text: string): unknown => (text.startsWith('tcp://') ? undefined : asNumber(text));
const asText = (text: string): string => text;
const asList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const VARIABLES: readonly Variable[] = [
  { name: 'ROLLGATE_HOST', path: ['host'], read: asText },
  { name: 'ROLLGATE_PORT', path: ['port'], read: asPort },
  { name: 'ROLLGATE_PUBLIC_URL', path: ['publicUrl'], read: asText },
  { name: 'ROLLGATE_MONGODB_URI', path: ['mongodb', 'uri'], read: asText },
  { name: 'ROLLGATE_DATA_DIR', path: ['dataDir'], read: asText },
  { name: 'ROLLGATE_ADMIN_TOKEN', path: ['adminToken'], read: asText },
  { name: 'ROLLGATE_SECRET_KEY', path: ['secretKey'], read: asText },
  { name: 'ROLLGATE_LOG_LEVEL', path: ['log', 'level'], read: asText },
  { name: 'ROLLGATE_RATE_LIMIT', path: ['rateLimit', 'perMinute'], read: asNumber },
  {
    name: 'ROLLGATE_SMS_REMOVE_ENDED_AFTER',
    path: ['sms', 'removeEndedAfter'],
    read: asText,
  },
  {
    name: 'ROLLGATE_WEBHOOKS_ALLOW',
    path: ['plugins', 'webhooks', 'allow'],
    read: asList,
    mayBeEmpty: true,
  },
  { name: 'ROLLGATE_WEBHOOKS_CA', path: ['plugins', 'webhooks', 'ca'], read: asText },
  {
    name: 'ROLLGATE_WEBHOOKS_RETRY',
    path: ['plugins', 'webhooks', 'retry'],
    read: asList,
    mayBeEmpty: true,
  },
];

/** A setting that the environment makes. */
export interface EnvironmentSetting {
  readonly name: string;
  readonly path: SettingPath;
  readonly value: unknown;
}

/** What the environment says. An empty variable says nothing, except where empty means a list. */
export const environmentSettings = (env: NodeJS.ProcessEnv): readonly EnvironmentSetting[] =>
  VARIABLES.flatMap(({ name, path, read, mayBeEmpty = false }) => {
    const text = env[name];
    if (text === undefined || (text === '' && !mayBeEmpty)) return [];
    const value = read(text);
    return value === undefined ? [] : [{ name, path, value }];
  });
