import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { exampleSection } from '../../plugins/dashboard/app/example-section.js';
import { inspectConfig } from '../../src/start/check-config.js';
import { loadPlugins } from '../../src/start/load-extensions.js';

type Settings = Readonly<Record<string, unknown>>;

interface Snippet {
  /** `docs/connectors.md, snippet 2` */
  readonly title: string;
  readonly file: string;
  readonly settings: Settings;
}

const snippetsIn = (file: string): readonly Snippet[] => {
  const text = readFileSync(file, 'utf8').replaceAll('__NAME__', 'acme');
  return [...text.matchAll(/^( *)```yaml\n(.*?)^\1```/gms)].map(
    ([, indent = '', yaml = ''], at) => ({
      title: `${file}, snippet ${at + 1}`,
      file,
      settings: parse(yaml.replaceAll(new RegExp(`^${indent}`, 'gm'), '')) as Settings,
    }),
  );
};

const SNIPPETS = [
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) => snippetsIn(`docs/${name}`)),
  ...['connectors', 'examples'].flatMap((folderOf) =>
    readdirSync(folderOf)
      .map((name) => `${folderOf}/${name}/README.md`)
      .filter((file) => existsSync(file))
      .flatMap(snippetsIn),
  ),
  {
    title: 'the empty list of connectors in the dashboard',
    file: 'plugins/dashboard/app/example-section.ts',
    settings: parse(exampleSection('acme')) as Settings,
  },
];

/** The sections of a settings file; other snippets are a part of the section of one connector. */
const TOP = ['connectors', 'plugins', 'publicUrl', 'branding', 'sms'];

/** What the snippet leaves out is as in the first one of its README, or of `rest`. */
const wholeOf = ({ file, settings }: Snippet): Settings => {
  if (TOP.some((name) => name in settings)) return settings;
  const readme = /^(connectors|examples)\//.test(file) ? file : 'connectors/rest/README.md';
  const [first] = snippetsIn(readme);
  const connectors = first?.settings.connectors as Readonly<Record<string, Settings>>;
  const [[name, section] = ['', {}]] = Object.entries(connectors);
  const { auth, ...parts } = settings;
  const more = auth === undefined ? {} : { settings: { ...(section.settings as object), auth } };
  return { connectors: { [name]: { ...section, ...parts, ...more } } };
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollgate-snippets-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const TEMPLATES = { connectors: 'connectors/template', plugins: 'examples/template' } as const;

/** The module that the snippet is about: of its folder, of its page, or a new one. */
const writeModule = (kind: keyof typeof TEMPLATES, use: string, { file }: Snippet): void => {
  const target = join(folder, 'config', use);
  mkdirSync(dirname(target), { recursive: true });
  const [, onPage = ''] = /^```js\n(.*?)^```/ms.exec(readFileSync(file, 'utf8')) ?? [];
  // As a copied file is, which is in no package.
  const [, imported = ''] = /^import (.*) from 'rollgate\/plugin';$/m.exec(onPage) ?? [];
  const copied = onPage
    .replace(/^import .*$/m, '')
    .replace('export default', `export default (${imported}) =>`);
  if (use.endsWith('.mjs')) {
    const name = basename(use, '.mjs');
    const template = readFileSync(join(TEMPLATES[kind], '__NAME__.mjs'), 'utf8');
    writeFileSync(target, template.replaceAll('__NAME__', name).replaceAll(/__\w+__/g, 'Acme'));
  } else if (file.startsWith('examples/'))
    cpSync(dirname(file), dirname(target), { recursive: true });
  else writeFileSync(target, copied);
};

/** Variables and files that the settings refer to, with a value of their form. */
const provide = (settings: Settings) => {
  const env: NodeJS.ProcessEnv = {};
  mkdirSync(join(folder, 'secrets'));
  const secret = (place: string): string =>
    /url/i.test(place) ? 'https://hooks.slack.com/services/T/B/x' : 'a-secret-of-this-test';
  const text = JSON.stringify(settings, (key, value: unknown) => {
    if (typeof value !== 'object' || value === null) {
      if (typeof value === 'string' && value.startsWith('/var/log/'))
        return join(folder, basename(value));
      if (key !== 'logo') return value;
      writeFileSync(join(folder, 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
      return join(folder, 'logo.svg');
    }
    const { env: variable, file } = value as Settings;
    if (typeof variable === 'string') env[variable] = secret(variable);
    if (typeof file !== 'string' || Object.keys(value).length > 1) return value;
    const path = join(folder, 'secrets', basename(file));
    writeFileSync(path, secret(file));
    return { file: path };
  });
  return { env, text };
};

describe('a snippet of YAML', () => {
  it.each(SNIPPETS.map((one) => [one.title, one] as const))(
    'is what the configuration check accepts: %s',
    async (_title, snippet) => {
      const settings = wholeOf(snippet);
      for (const kind of ['connectors', 'plugins'] as const)
        for (const { use } of Object.values(
          (settings[kind] ?? {}) as Readonly<Record<string, Settings>>,
        ))
          if (typeof use === 'string' && use.startsWith('.')) writeModule(kind, use, snippet);
      const { env, text } = provide(settings);
      mkdirSync(join(folder, 'config'), { recursive: true });
      writeFileSync(join(folder, 'config/rollgate.yaml'), text);
      const options = { env, cwd: folder };
      const { problems, connectorProblems } = inspectConfig(options, await loadPlugins(options));
      expect([...problems, ...connectorProblems]).toEqual([]);
    },
  );
});
