import { readFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { type ExtensionSection, listSettings, type Setting } from '../../config/list-settings.js';
import { OTHER_VARIABLES } from '../../config/other-variables.js';
import { BUILT_IN_PLUGINS } from '../../plugins/index.js';
import { connectorSectionOf } from '../../src/plugin/connector-runtime/connector-section.js';

const PAGE = 'docs/settings.md';

const tables = (): string =>
  [
    table(
      ['setting', 'variable', 'default', 'meaning'],
      listSettings([...BUILT_IN_PLUGINS, anyConnector()]).map((setting) => [
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

/** What every section under `connectors` holds; the settings of each are in its README. */
const anyConnector = (): ExtensionSection => {
  const options = BUILT_IN_PLUGINS.find(({ connectorOptions }) => connectorOptions);
  return {
    group: 'connectors',
    name: '<name>',
    settings: connectorSectionOf(undefined, options?.connectorOptions ?? z.strictObject({})),
  };
};

const code = (text: string): string => `\`${text}\``;

const defaultOf = (setting: Setting): string => {
  const value = setting.default;
  if (value === undefined || value === null) return 'not set';
  if (Array.isArray(value)) return value.length === 0 ? 'empty' : code(value.join(','));
  return code(typeof value === 'string' ? value : JSON.stringify(value));
};

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** To update the page: npx vitest run test/config/settings-page.test.ts --update */
it('docs/settings.md lists all settings and variables', async () => {
  const page = await readFile(PAGE, 'utf8');
  const [before = ''] = page.split('<!-- settings -->');
  const generated = `${before}<!-- settings -->\n\n${tables()}\n`;
  const formatted = await format(generated, { ...(await resolveConfig(PAGE)), parser: 'markdown' });
  await expect(formatted).toMatchFileSnapshot(`../../${PAGE}`);
});
