import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { ConfigProblem } from './config-error.js';
import { explainIssues, unknownConnector, unknownPlugin } from './explain-issues.js';
import { type LoadOptions, readSources } from './load-config.js';
import { isPlainObject, keyOf, type SettingPath, valueAt } from './setting-path.js';

const sectionOf = (use: string) =>
  z.object({
    use: z
      .string({ error: `expected ${use}` })
      .min(1)
      .optional(),
    enabled: z.boolean().default(true),
  });

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const NAME_ERROR = 'expected a name of lower-case words joined by hyphens';

/** Reads the sections again, now that it is known which variables enable and disable them. */
const readSections = (
  options: LoadOptions,
  sections: readonly { readonly group?: 'connectors'; readonly name: string }[],
) => {
  const { file, merged, placeOf } = readSources(
    options,
    sections.map((section) => ({ ...section, isEnabled: false })),
  );
  const problemAt = (path: SettingPath, message: string): ConfigProblem => ({
    place: placeOf(path),
    key: keyOf(path),
    message,
  });
  // What paths in `use` start from.
  const folder = file ? dirname(resolve(options.cwd, file.path)) : options.cwd;
  return { merged, placeOf, problemAt, folder };
};

/** A section under `plugins`, before the plugin itself is loaded. */
export interface PluginEntry {
  /** The key of the section. */
  readonly name: string;
  /** A path or the name of a package; absent: the built-in plugin of this name. */
  readonly use?: string;
  readonly isEnabled: boolean;
  /** Where `use` stands, else the section: for errors. */
  readonly place: string;
}

export interface PluginEntries {
  /** Of all sections, malformed ones included. */
  readonly names: readonly string[];
  readonly entries: readonly PluginEntry[];
  readonly problems: readonly ConfigProblem[];
  /** What paths in `use` start from: the folder of the configuration file. */
  readonly folder: string;
}

const PluginSection = sectionOf('a path or the name of a package');

/** The sections of plugins, built-in ones included; throws a ConfigError if the file cannot be read. */
export const readPluginEntries = (
  options: LoadOptions,
  builtIns: readonly string[],
): PluginEntries => {
  const named = readSources(options).merged.plugins;
  const names = [...new Set([...builtIns, ...(isPlainObject(named) ? Object.keys(named) : [])])];
  const { merged, placeOf, problemAt, folder } = readSections(
    options,
    names.map((name) => ({ name })),
  );
  const problems: ConfigProblem[] = [];
  const entries = names.flatMap((name): readonly PluginEntry[] => {
    const under = ['plugins', name];
    const given = valueAt(merged, under) ?? {};
    const checked = PluginSection.safeParse(given);
    if (!checked.success) {
      const { error } = checked;
      problems.push(...explainIssues({ schema: PluginSection, error, given, under, placeOf }));
      return [];
    }
    const { use, enabled } = checked.data;
    const isBuiltIn = use === undefined || use === name;
    const faulty = (message: string): readonly [] => {
      problems.push(problemAt(under, message));
      return [];
    };
    if (builtIns.includes(name) && !isBuiltIn)
      return faulty(`the name "${name}" belongs to a built-in plugin; use another name for ${use}`);
    if (use === undefined && !builtIns.includes(name)) return faulty(unknownPlugin(name, builtIns));
    if (!NAME.test(name)) return faulty(NAME_ERROR);
    const place = placeOf(use === undefined ? under : [...under, 'use']);
    return [{ name, isEnabled: enabled, place, ...(!isBuiltIn && { use }) }];
  });
  return { names, entries, problems, folder };
};

/** A section under `connectors`, before the connector itself is loaded. */
export interface ConnectorEntry {
  /** The key of the section. */
  readonly name: string;
  /** A built-in connector, a path or the name of a package; empty if the section is malformed. */
  readonly use: string;
  /** The slug of its tenant, as far as it can be read. */
  readonly tenant: string;
  readonly isEnabled: boolean;
  /** Where `use` stands, else the section: for errors. */
  readonly place: string;
  /** What is wrong with the section itself. */
  readonly problems: readonly ConfigProblem[];
}

const ConnectorSection = sectionOf('a built-in connector, a path or the name of a package');

/** The sections of connectors; throws a ConfigError if the file cannot be read. */
export const readConnectorEntries = (
  options: LoadOptions,
  builtIns: readonly string[],
): { readonly entries: readonly ConnectorEntry[]; readonly folder: string } => {
  const sections = readSources(options).merged.connectors;
  const names = isPlainObject(sections) ? Object.keys(sections) : [];
  const { merged, placeOf, problemAt, folder } = readSections(
    options,
    names.map((name) => ({ group: 'connectors' as const, name })),
  );
  const entries = names.map((name): ConnectorEntry => {
    const under = ['connectors', name];
    const given = valueAt(merged, under);
    const tenant = valueAt(given, ['tenant']);
    const entry = { name, tenant: typeof tenant === 'string' ? tenant : '' };
    const faulty = (problems: readonly ConfigProblem[]): ConnectorEntry => ({
      ...entry,
      use: '',
      isEnabled: true,
      place: placeOf(under),
      problems,
    });
    const checked = ConnectorSection.safeParse(given);
    if (!checked.success) {
      const { error } = checked;
      return faulty(explainIssues({ schema: ConnectorSection, error, given, under, placeOf }));
    }
    const { use = builtIns.includes(name) ? name : undefined, enabled } = checked.data;
    if (!NAME.test(name)) return faulty([problemAt(under, NAME_ERROR)]);
    if (use === undefined) return faulty([problemAt(under, unknownConnector(name, builtIns))]);
    const hasUse = valueAt(given, ['use']) !== undefined;
    return {
      ...entry,
      use,
      isEnabled: enabled,
      place: placeOf(hasUse ? [...under, 'use'] : under),
      problems: [],
    };
  });
  return { entries, folder };
};
