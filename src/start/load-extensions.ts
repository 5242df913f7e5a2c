import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ConfigProblem } from '../../config/config-error.js';
import { nearestName } from '../../config/did-you-mean.js';
import {
  type ConnectorEntry,
  type PluginEntry,
  readConnectorEntries,
  readPluginEntries,
} from '../../config/extension-entries.js';
import type { LoadOptions } from '../../config/load-config.js';
import { keyOf } from '../../config/setting-path.js';
import {
  faultsOfConnector,
  checkDeclarations,
  type Declared,
} from '../plugin/contract/check-declarations.js';
import type { BuiltInConnectors } from '../plugin/connector-runtime/serve-connector.js';
import type { Connector } from '../plugin/contract/connector-contract.js';
import { ExtensionError, importConnector, importPlugin } from '../plugin/host/import-extension.js';
import { PACKAGE_FOLDER } from '../process/program.js';
import type { ExtensionSection } from '../../config/list-settings.js';
import type { Plugin } from '../plugin/contract/contract.js';
import {
  type ConnectorRunner,
  isConnectorRunner,
} from '../plugin/connector-runtime/connector-runner.js';
import { connectorSectionOf } from '../plugin/connector-runtime/connector-section.js';

/** A section under `connectors`, with its connector if that can be used. */
export interface LoadedConnector {
  /** The key of the section. */
  readonly name: string;
  /** As configured, or the name of the built-in connector; empty if the section is malformed. */
  readonly use: string;
  readonly tenant: string;
  readonly isEnabled: boolean;
  /** Null: it is disabled, or cannot be used. */
  readonly connector: Connector | null;
  /** The module that it comes from, for its process; null: built in. */
  readonly url: string | null;
  readonly problems: readonly ConfigProblem[];
}

/** What runs in a connector's process: a program of its own in the build, wherever this is bundled to. */
export const CONNECTOR_PROGRAM = import.meta.url.endsWith('.ts')
  ? new URL('./connector-process.ts', import.meta.url)
  : pathToFileURL(join(PACKAGE_FOLDER, 'dist/src/start/connector-process.js'));

/**
 * Finds and imports the connectors that the configuration names; one that cannot be used is returned
 * with its problem. Throws a ConfigError only if the file cannot be read.
 */
const loadConnectors = async (
  options: LoadOptions,
  { isHosted, builtIns }: { readonly isHosted: boolean; readonly builtIns?: BuiltInConnectors },
): Promise<readonly LoadedConnector[]> => {
  const known = builtIns ?? (await import('../../connectors/index.js')).BUILT_IN_CONNECTORS;
  const { entries, folder } = readConnectorEntries(options, Object.keys(known));
  const loaded: LoadedConnector[] = [];
  for (const entry of entries) {
    const problems =
      entry.isEnabled && !isHosted ? [...entry.problems, notHosted(entry)] : entry.problems;
    const described = { ...entry, connector: null, url: null, problems };
    const isUsable = entry.isEnabled && problems.length === 0;
    loaded.push(isUsable ? await importConnectorEntry(described, folder, known) : described);
  }
  return loaded;
};

const importConnectorEntry = async (
  entry: LoadedConnector & Pick<ConnectorEntry, 'place'>,
  folder: string,
  builtIns: BuiltInConnectors,
): Promise<LoadedConnector> => {
  const { use } = entry;
  try {
    const builtIn = Object.hasOwn(builtIns, use) ? builtIns[use] : undefined;
    const { extension: connector, url } = builtIn
      ? { extension: (await builtIn()).default, url: null }
      : await importConnector(use, folder);
    const [fault] = faultsOfConnector(connector);
    if (fault !== undefined) throw new ExtensionError(fault);
    return { ...entry, connector, url };
  } catch (error) {
    if (!(error instanceof ExtensionError)) throw error;
    const meant = nearestName(use, Object.keys(builtIns));
    const message =
      meant === undefined ? error.message : `${error.message}; did you mean "${meant}"?`;
    return { ...entry, problems: [problemOfConnector(entry, message)] };
  }
};

const problemOfConnector = (
  { name, place }: Pick<ConnectorEntry, 'name' | 'place'>,
  message: string,
): ConfigProblem => ({ place, key: keyOf(['connectors', name, 'use']), message });

const notHosted = ({ name, place }: ConnectorEntry): ConfigProblem => ({
  place,
  key: keyOf(['connectors', name]),
  message: 'no enabled plugin runs connectors; enable the plugin "connectors"',
});

export type {
  CliAccess,
  CliAction,
  CliArgument,
  CliCall,
  CliCreate,
  CliField,
  CliItem,
  CliList,
  CliOption,
  CliResource,
  CliResult,
  CliSection,
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
  /** The enabled plugin that runs them. */
  readonly runner: ConnectorRunner | undefined;
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
  const runner = enabled.map(({ plugin }) => plugin).find(isConnectorRunner);
  const connectors = await loadConnectors(options, {
    isHosted: runner !== undefined,
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
        isEnabled: connector !== null && runner !== undefined,
        ...(connector &&
          runner && {
            settings: connectorSectionOf(connector.settings, runner.connectorOptions),
          }),
      })),
    ],
    connectors,
    runner,
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
