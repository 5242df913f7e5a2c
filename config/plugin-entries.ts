import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { ConfigProblem } from './config-error.js';
import { explainIssues, unknownPlugin } from './explain-issues.js';
import { type LoadOptions, readSources } from './load-config.js';
import { isPlainObject, keyOf, valueAt } from './setting-path.js';

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

const Section = z.object({
  use: z.string({ error: 'expected a path or the name of a package' }).min(1).optional(),
  enabled: z.boolean().default(true),
});

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** The sections of plugins, built-in ones included; throws a ConfigError if the file cannot be read. */
export const readPluginEntries = (
  options: LoadOptions,
  builtIns: readonly string[],
): PluginEntries => {
  const named = readSources(options).merged.plugins;
  const names = [...new Set([...builtIns, ...(isPlainObject(named) ? Object.keys(named) : [])])];
  // Read again: now it is known which variables enable and disable.
  const { file, merged, placeOf } = readSources(
    options,
    names.map((name) => ({ name, isEnabled: false })),
  );
  const problems: ConfigProblem[] = [];
  const entries = names.flatMap((name): readonly PluginEntry[] => {
    const under = ['plugins', name];
    const given = valueAt(merged, under) ?? {};
    const checked = Section.safeParse(given);
    if (!checked.success) {
      const { error } = checked;
      problems.push(...explainIssues({ schema: Section, error, given, under, placeOf }));
      return [];
    }
    const { use, enabled } = checked.data;
    const isBuiltIn = use === undefined || use === name;
    const faulty = (message: string): readonly [] => {
      problems.push({ place: placeOf(under), key: keyOf(under), message });
      return [];
    };
    if (builtIns.includes(name) && !isBuiltIn)
      return faulty(`the name "${name}" belongs to a built-in plugin; use another name for ${use}`);
    if (use === undefined && !builtIns.includes(name)) return faulty(unknownPlugin(name, builtIns));
    if (!NAME.test(name)) return faulty('expected a name of lower-case words joined by hyphens');
    const place = placeOf(use === undefined ? under : [...under, 'use']);
    return [{ name, isEnabled: enabled, place, ...(!isBuiltIn && { use }) }];
  });
  const folder = file ? dirname(resolve(options.cwd, file.path)) : options.cwd;
  return { names, entries, problems, folder };
};
