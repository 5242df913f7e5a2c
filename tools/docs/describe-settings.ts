import { type ExtensionSection, listSettings, type Setting } from '../../config/list-settings.js';
import { OTHER_VARIABLES } from '../../config/other-variables.js';
import { connectors } from '../../plugins/connectors/index.js';
import { BUILT_IN_PLUGINS } from '../../plugins/index.js';
import { connectorSectionOf } from '../../src/plugin/connector-runtime/connector-section.js';
import { code, table } from './markdown.js';

/** What every section under `connectors` holds; the settings of each are in its README. */
const anyConnector = (): ExtensionSection => ({
  group: 'connectors',
  name: '<name>',
  settings: connectorSectionOf(undefined, connectors.connectorOptions),
});

const defaultOf = (setting: Setting): string => {
  const value = setting.default;
  if (value === undefined || value === null) return 'not set';
  if (Array.isArray(value)) return value.length === 0 ? 'empty' : code(value.join(','));
  return code(typeof value === 'string' ? value : JSON.stringify(value));
};

/** All settings of the gateway, its plugins and any connector. */
export const allSettings = (): readonly Setting[] =>
  listSettings([...BUILT_IN_PLUGINS, anyConnector()]);

/** All settings, and the variables that are none. */
export const describeSettings = (): string =>
  [
    table(
      ['setting', 'variable', 'default', 'meaning'],
      allSettings().map((setting) => [
        code(setting.key),
        code(setting.variable),
        defaultOf(setting),
        setting.description,
      ]),
    ),
    '',
    table(
      ['other variable', 'meaning'],
      OTHER_VARIABLES.map(({ name, description }) => [code(name), description]),
    ),
  ].join('\n');
