import { z } from 'zod';
import type { LoadedConfig } from './load-config.js';
import { ConfigSchema } from './schema.js';
import { Secret } from './secret.js';
import { isPlainObject, keyOf, type SettingPath } from './setting-path.js';

/** One line of `rollgate config show`. */
export interface DescribedSetting {
  /** `rateLimit.perMinute` */
  readonly key: string;
  /** As it would stand in the file; of a secret only where it comes from. */
  readonly value: unknown;
  /** `config/rollgate.yaml:12`, `environment variable ROLLGATE_PORT` or `default`. */
  readonly origin: string;
}

/** Plugins name their settings themselves: what sounds like a secret is treated as one. */
const SOUNDS_SECRET = /secret|token|password|passphrase|credential|private|apikey/i;

/** Every setting, its value and who set it: fit to be shown, and to be pasted into an issue. */
export const describeConfig = ({ config, originOf }: LoadedConfig): readonly DescribedSetting[] => {
  const { mongodb, adminToken, secretKey, ...others } = config;
  const hidden = { mongodb: { uri: null }, adminToken: null, secretKey: null };
  const plain = z.encode(ConfigSchema, { ...others, ...hidden });
  return leavesOf({ ...plain, mongodb, adminToken, secretKey }, []).map(({ path, value }) => ({
    key: keyOf(path),
    value,
    origin: originOf(path),
  }));
};

interface Leaf {
  readonly path: SettingPath;
  readonly value: unknown;
}

const leavesOf = (value: unknown, path: SettingPath): readonly Leaf[] => {
  if (value instanceof Secret) return [{ path, value: value.toString() }];
  if (path[0] === 'plugins' && SOUNDS_SECRET.test(String(path.at(-1)))) {
    return [{ path, value: '(hidden)' }];
  }
  if (!isPlainObject(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
};
