import { z } from 'zod';
import { codeOf, REFUSALS } from '../../domain/kernel/refusals.js';
import type { Connector } from './connector-contract.js';
import type { Plugin } from './contract.js';
import type { Manifest } from './extension.js';

/** An enabled section of the configuration and the plugin that it uses. */
export interface Declared {
  /** The key of the section. */
  readonly name: string;
  readonly plugin: Plugin;
  /** Where the plugin comes from: its file, or its name if it is built in. */
  readonly source: string;
}

/** What is wrong with the plugin of a section, as a sentence after the section's name. */
export interface DeclarationFault {
  readonly name: string;
  readonly message: string;
}

const WORDS = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** What enabled plugins declare, checked before any of them starts. */
export const checkDeclarations = (plugins: readonly Declared[]): readonly DeclarationFault[] =>
  plugins.flatMap(({ name, plugin, source }, index) => {
    const before = plugins.slice(0, index);
    const messages = [...faultsOf(plugin), ...conflictsOf({ plugin, source }, before)];
    return messages.map((message) => ({ name, message }));
  });

const faultsOf = (plugin: Plugin): readonly string[] => [
  ...faultsOfName(plugin),
  ...faultsOfSettings(plugin),
  ...faultsOfScopes(plugin),
  ...faultsOfWords(plugin),
  ...faultsOfCommands(plugin),
];

/** What a connector declares, as sentences after the name of its section. */
export const faultsOfConnector = (connector: Connector): readonly string[] => [
  ...faultsOfName(connector, 'connector'),
  ...faultsOfStrictness(connector, 'connector'),
  ...(connector.cursorVersion === undefined ||
  (Number.isInteger(connector.cursorVersion) && connector.cursorVersion >= 1)
    ? []
    : [
        `the connector "${connector.name}" has the cursorVersion ${connector.cursorVersion}; count from 1`,
      ]),
];

const faultsOfName = (
  { name }: Pick<Manifest, 'name'>,
  kind: 'plugin' | 'connector' = 'plugin',
): readonly string[] =>
  WORDS.test(name)
    ? []
    : [`the ${kind} is named "${name}"; a name is made of lower-case words joined by hyphens`];

/** Rollgate's own keys of a section. */
const RESERVED = ['use', 'enabled'];

const faultsOfStrictness = (
  { name, settings }: Pick<Manifest, 'name' | 'settings'>,
  kind: 'plugin' | 'connector',
): readonly string[] => {
  if (!settings) return [];
  const { type, additionalProperties } = jsonSchemaOf(settings);
  return type === 'object' && additionalProperties === false
    ? []
    : [`the settings of the ${kind} "${name}" must be declared with z.strictObject`];
};

const jsonSchemaOf = (settings: z.ZodType) =>
  z.toJSONSchema(settings, { io: 'input', unrepresentable: 'any' });

const faultsOfSettings = (plugin: Plugin): readonly string[] => {
  const { name, settings } = plugin;
  const faults = faultsOfStrictness(plugin, 'plugin');
  if (!settings || faults.length > 0) return faults;
  const { properties } = jsonSchemaOf(settings);
  return RESERVED.filter((key) => key in (properties ?? {})).map(
    (key) => `the plugin "${name}" declares a setting "${key}", which belongs to Rollgate`,
  );
};

const faultsOfScopes = ({ name, scopes = [], changeScope }: Plugin): readonly string[] => {
  const declared = scopes.map(({ scope }) => scope);
  const foreign = declared.filter((scope) => scope !== name && !scope.startsWith(`${name}:`));
  return [
    ...foreign.map(
      (scope) =>
        `the plugin "${name}" declares the scope "${scope}"; its scopes must be "${name}" or begin ` +
        `with "${name}:"`,
    ),
    ...(changeScope !== undefined && !declared.includes(changeScope)
      ? [`the plugin "${name}" does not declare its changeScope "${changeScope}" as a scope`]
      : []),
  ];
};

/** Names that operators and addresses use. */
const faultsOfWords = (plugin: Plugin): readonly string[] => {
  const { name, collections = [], doctor = [], commands = [] } = plugin;
  const named = {
    collection: collections,
    'doctor check': doctor.map((check) => check.name),
    command: commands.map((resource) => resource.name),
  };
  return Object.entries(named).flatMap(([what, words]) =>
    words.flatMap((word, index) => {
      if (!WORDS.test(word))
        return [
          `the plugin "${name}" names a ${what} "${word}"; use lower-case words joined by hyphens`,
        ];
      return words.indexOf(word) < index ? [`the plugin "${name}" has two ${what}s "${word}"`] : [];
    }),
  );
};

const faultsOfCommands = ({ name: plugin, commands = [] }: Plugin): readonly string[] =>
  commands.flatMap(({ name, parent }, index) =>
    parent === undefined ||
    commands.slice(0, index).some((earlier) => earlier.name === parent && earlier.item)
      ? []
      : [
          `the plugin "${plugin}" nests the command "${name}" in "${parent}", which is no command with ` +
            'an item before it',
        ],
  );

const prefixOf = (code: string): string => code.split('_', 1)[0] ?? code;

const prefixesOf = ({ refusals = [] }: Plugin): readonly string[] => [
  ...new Set(refusals.map((refusal) => prefixOf(codeOf(refusal)))),
];

const CORE_PREFIXES = Object.keys(REFUSALS).map(prefixOf);

const conflictsOf = (
  { plugin, source }: Omit<Declared, 'name'>,
  before: readonly Declared[],
): readonly string[] => {
  const twin = before.find((other) => other.plugin.name === plugin.name);
  if (twin && twin.source !== source)
    return [
      `the plugin is named "${plugin.name}", like the one of plugins.${twin.name}; two plugins ` +
        'cannot share a name',
    ];
  if (twin && !plugin.multiple)
    return [
      `the plugin "${plugin.name}" is configured as plugins.${twin.name} already and cannot be ` +
        'configured twice; remove one of the sections',
    ];
  if (twin) return [];
  return [...conflictsOfCodes(plugin, before), ...conflictsOfNames(plugin, before)];
};

const conflictsOfCodes = (plugin: Plugin, before: readonly Declared[]): readonly string[] =>
  prefixesOf(plugin).flatMap((prefix) => {
    if (CORE_PREFIXES.includes(prefix))
      return [
        `the plugin "${plugin.name}" declares an error code that begins with ${prefix}_, like codes ` +
          'of the core; use another prefix',
      ];
    const other = before.find((one) => prefixesOf(one.plugin).includes(prefix));
    return other
      ? [
          `the plugins "${plugin.name}" and "${other.plugin.name}" both declare error codes that ` +
            `begin with ${prefix}_; one of them must be disabled`,
        ]
      : [];
  });

const conflictsOfNames = (plugin: Plugin, before: readonly Declared[]): readonly string[] =>
  before.flatMap((other) => {
    const shared = (what: string, namesOf: (one: Plugin) => readonly string[]) =>
      namesOf(plugin)
        .filter((word) => namesOf(other.plugin).includes(word))
        .map(
          (word) =>
            `the plugins "${plugin.name}" and "${other.plugin.name}" both have a ${what} "${word}"; ` +
            'one of them must be disabled',
        );
    return [
      ...shared('doctor check', ({ doctor = [] }) => doctor.map((check) => check.name)),
      ...shared('command', ({ commands = [] }) => commands.map((resource) => resource.name)),
    ];
  });
