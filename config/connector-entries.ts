import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { ConfigProblem } from './config-error.js';
import { explainIssues, unknownConnector } from './explain-issues.js';
import { type LoadOptions, readSources } from './load-config.js';
import { isPlainObject, keyOf, valueAt } from './setting-path.js';

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

const Section = z.object({
  use: z
    .string({ error: 'expected a built-in connector, a path or the name of a package' })
    .min(1)
    .optional(),
  enabled: z.boolean().default(true),
});

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** The sections of connectors; throws a ConfigError if the file cannot be read. */
export const readConnectorEntries = (
  options: LoadOptions,
  builtIns: readonly string[],
): { readonly entries: readonly ConnectorEntry[]; readonly folder: string } => {
  const sections = readSources(options).merged.connectors;
  const names = isPlainObject(sections) ? Object.keys(sections) : [];
  // Read again: now it is known which variables enable and disable.
  const { file, merged, placeOf } = readSources(
    options,
    names.map((name) => ({ group: 'connectors', name, isEnabled: false })),
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
    const checked = Section.safeParse(given);
    if (!checked.success) {
      const { error } = checked;
      return faulty(explainIssues({ schema: Section, error, given, under, placeOf }));
    }
    const { use = builtIns.includes(name) ? name : undefined, enabled } = checked.data;
    const problemAt = (message: string): ConfigProblem => ({
      place: placeOf(under),
      key: keyOf(under),
      message,
    });
    if (!NAME.test(name))
      return faulty([problemAt('expected a name of lower-case words joined by hyphens')]);
    if (use === undefined) return faulty([problemAt(unknownConnector(name, builtIns))]);
    const hasUse = valueAt(given, ['use']) !== undefined;
    return {
      ...entry,
      use,
      isEnabled: enabled,
      place: placeOf(hasUse ? [...under, 'use'] : under),
      problems: [],
    };
  });
  return { entries, folder: file ? dirname(resolve(options.cwd, file.path)) : options.cwd };
};
