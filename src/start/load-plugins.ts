import type { ConfigProblem } from '../../config/config-error.js';
import type { ExtensionSection } from '../../config/list-settings.js';
import type { LoadOptions } from '../../config/load-config.js';
import { type PluginEntry, readPluginEntries } from '../../config/plugin-entries.js';
import { keyOf } from '../../config/setting-path.js';
import { checkDeclarations, type Declared } from '../plugin/contract/check-declarations.js';
import type { Plugin } from '../plugin/contract/contract.js';
import { type BuiltInConnectors, type LoadedConnector, loadConnectors } from './load-connectors.js';
import { connectorSectionOf } from '../plugin/connector-runtime/connector-section.js';
import { ExtensionError, importPlugin } from '../plugin/host/import-extension.js';

export type {
  CliAccess,
  CliAction,
  CliArgument,
  CliColumn,
  CliCreate,
  CliField,
  CliOption,
  CliResource,
  CliSection,
  CliTable,
  CliVerb,
} from '../plugin/contract/cli-resource.js';
export type { Plugin } from '../plugin/contract/contract.js';

/** An enabled plugin, not yet configured. */
export interface LoadedPlugin extends Declared {
  /** Its path or package, as configured; absent: built in. */
  readonly use?: string;
}

/** A section of the configuration that is switched off; its plugin was not imported. */
export interface DisabledPlugin {
  readonly name: string;
  readonly use?: string;
}

/** The plugins that the configuration names. */
export interface LoadedPlugins {
  readonly enabled: readonly LoadedPlugin[];
  readonly disabled: readonly DisabledPlugin[];
  /** Plugins that cannot be used: they are neither enabled nor disabled. */
  readonly problems: readonly ConfigProblem[];
  /** Every section, for the check of its settings, those of connectors included. */
  readonly sections: readonly (ExtensionSection & Pick<DisabledPlugin, 'use'>)[];
  /** Every section under `connectors`. */
  readonly connectors: readonly LoadedConnector[];
}

/**
 * Finds and imports the plugins that the configuration names, the built-in ones included, and the
 * connectors. Throws a ConfigError only if the file cannot be read.
 */
export const loadPlugins = async (
  options: LoadOptions,
  builtIns?: readonly Plugin[],
  builtInConnectors?: BuiltInConnectors,
): Promise<LoadedPlugins> => {
  const known = builtIns ?? (await builtInPlugins());
  const { names, entries, problems, folder } = readPluginEntries(
    options,
    known.map(({ name }) => name),
  );
  const found: LoadedPlugin[] = [];
  const faults: ConfigProblem[] = [...problems];
  for (const entry of entries.filter(({ isEnabled }) => isEnabled)) {
    try {
      found.push(await importEntry(entry, folder, known));
    } catch (error) {
      if (!(error instanceof ExtensionError)) throw error;
      faults.push(problemOf(entry, error.message));
    }
  }
  const wrong = checkDeclarations(found);
  for (const { name, message } of wrong) {
    const entry = entries.find((one) => one.name === name);
    if (entry) faults.push(problemOf(entry, message));
  }
  const enabled = found.filter(({ name }) => wrong.every((fault) => fault.name !== name));
  const connectorOptions = enabled.find(({ plugin }) => plugin.connectorOptions)?.plugin
    .connectorOptions;
  const connectors = await loadConnectors(options, {
    isHosted: connectorOptions !== undefined,
    ...(builtInConnectors && { builtIns: builtInConnectors }),
  });
  return {
    enabled,
    disabled: entries
      .filter(({ isEnabled }) => !isEnabled)
      .map(({ name, use }) => ({ name, ...(use !== undefined && { use }) })),
    problems: faults,
    sections: [
      ...names.map((name) => {
        const plugin = enabled.find((one) => one.name === name)?.plugin;
        const use = entries.find((one) => one.name === name)?.use;
        return {
          name,
          settings: plugin?.settings,
          isEnabled: plugin !== undefined,
          ...(use !== undefined && { use }),
        };
      }),
      ...connectors.map(({ name, use, connector }) => ({
        group: 'connectors' as const,
        name,
        use,
        isEnabled: connector !== null && connectorOptions !== undefined,
        ...(connector &&
          connectorOptions && {
            settings: connectorSectionOf(connector.settings, connectorOptions),
          }),
      })),
    ],
    connectors,
  };
};

/** Imported only by who needs them: other commands start without. */
export const builtInPlugins = async (): Promise<readonly Plugin[]> => {
  const { BUILT_IN_PLUGINS } = await import('../../plugins/index.js');
  return BUILT_IN_PLUGINS;
};

const importEntry = async (
  { name, use }: PluginEntry,
  folder: string,
  builtIns: readonly Plugin[],
): Promise<LoadedPlugin> => {
  const builtIn = builtIns.find((plugin) => plugin.name === (use ?? name));
  if (builtIn)
    return { name, plugin: builtIn, source: builtIn.name, ...(use !== undefined && { use }) };
  if (use === undefined) throw new ExtensionError(`there is no built-in plugin "${name}"`);
  const { extension: plugin, url } = await importPlugin(use, folder);
  return { name, plugin, source: url, use };
};

const problemOf = ({ name, use, place }: PluginEntry, message: string): ConfigProblem => ({
  place,
  key: keyOf(use === undefined ? ['plugins', name] : ['plugins', name, 'use']),
  message,
});
