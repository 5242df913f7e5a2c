import type { ConfigProblem } from '../../config/config-error.js';
import { nearestName } from '../../config/did-you-mean.js';
import { type ConnectorEntry, readConnectorEntries } from '../../config/connector-entries.js';
import type { LoadOptions } from '../../config/load-config.js';
import { keyOf } from '../../config/setting-path.js';
import { faultsOfConnector } from '../plugin/contract/check-declarations.js';
import type { Connector } from '../plugin/contract/connector-contract.js';
import { ExtensionError, importConnector } from '../plugin/host/import-extension.js';

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

/** How to import each built-in connector. */
export type BuiltInConnectors = Readonly<
  Record<string, () => Promise<{ readonly default: Connector }>>
>;

/**
 * Finds and imports the connectors that the configuration names; one that cannot be used is returned
 * with its problem. Throws a ConfigError only if the file cannot be read.
 */
export const loadConnectors = async (
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
    loaded.push(isUsable ? await importEntry(described, folder, known) : described);
  }
  return loaded;
};

const importEntry = async (
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
    return { ...entry, problems: [problemOf(entry, message)] };
  }
};

const problemOf = (
  { name, place }: Pick<ConnectorEntry, 'name' | 'place'>,
  message: string,
): ConfigProblem => ({ place, key: keyOf(['connectors', name, 'use']), message });

const notHosted = ({ name, place }: ConnectorEntry): ConfigProblem => ({
  place,
  key: keyOf(['connectors', name]),
  message: 'no enabled plugin runs connectors; enable the plugin "connectors"',
});
