import { z } from 'zod';
import { listSettings, type ExtensionSection, type Setting } from './list-settings.js';
import type { LoadedConfig } from './load-config.js';
import { ConfigSchema } from './schema.js';
import { Secret } from './secret.js';
import { isSecretName } from './sensitive-names.js';
import { valueAt } from './setting-path.js';

/** One line of `rollgate config show`. */
export interface DescribedSetting {
  /** `rateLimit.perMinute` */
  readonly key: string;
  /** In the format of the file; null if not set. A secret shows only its source. */
  readonly value: unknown;
  /** `config/rollgate.yaml:12`, `environment variable ROLLGATE_PORT` or `default`. */
  readonly origin: string;
  /** The environment variable that sets it: `ROLLGATE_RATE_LIMIT`. */
  readonly variable: string;
}

/** Every setting with its value and source, safe to print and to paste into an issue. */
export const describeConfig = (
  { config, originOf }: LoadedConfig,
  plugins: readonly ExtensionSection[] = [],
): readonly DescribedSetting[] => {
  const { mongodb, adminToken, secretKey, operators, ...others } = config;
  const hidden = {
    mongodb: { uri: null },
    adminToken: null,
    secretKey: null,
    operators: { ...operators, oidc: { ...operators.oidc, clientSecret: null } },
  };
  const plain = z.encode(ConfigSchema, { ...others, ...hidden });
  const { clientSecret } = operators.oidc;
  const shown = {
    ...plain,
    mongodb,
    adminToken,
    secretKey,
    operators: { ...plain.operators, oidc: { ...plain.operators?.oidc, clientSecret } },
  };
  return listSettings(plugins).map((setting) => ({
    key: setting.key,
    value: describeValue(valueAt(shown, setting.path), setting),
    origin: originOf(setting.path),
    variable: setting.variable,
  }));
};

const describeValue = (value: unknown, setting: Setting): unknown => {
  if (value instanceof Secret) return value.toString();
  if (value === undefined) return setting.default ?? null;
  const isExtensions = setting.path[0] === 'plugins' || setting.path[0] === 'connectors';
  // Extensions name their own settings, and may forget to declare a secret.
  const isHidden = isExtensions && isSecretName(setting.path.at(-1) ?? '');
  return (isHidden || setting.holdsSecret) && value !== null ? '(hidden)' : value;
};
