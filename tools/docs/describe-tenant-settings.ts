import {
  DEFAULT_SCIM_SETTINGS,
  ROOM_PROVISIONING,
  SCIM_SETTING_NAMES,
  SCIM_SETTINGS,
  type Setting,
  settingText,
} from '../../src/domain/tenant/scim-settings.js';
import { code, table } from './markdown.js';

const row = (name: string, setting: Setting, value: unknown): readonly string[] => [
  code(name),
  code(setting.option),
  code(String(value)),
  settingText(setting),
];

/** The settings of tenants that are declared in domain/tenant/scim-settings.ts. */
export const describeTenantSettings = (): string =>
  table(
    ['setting', 'option', 'default', 'meaning'],
    [
      row('room_provisioning', ROOM_PROVISIONING, ROOM_PROVISIONING.default),
      ...SCIM_SETTING_NAMES.map(([name, key]) =>
        row(`scim.${name}`, SCIM_SETTINGS[key], DEFAULT_SCIM_SETTINGS[key]),
      ),
    ],
  );
