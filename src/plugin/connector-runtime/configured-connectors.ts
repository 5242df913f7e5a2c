import { type OpenConnector, SourceError } from '../contract/connector-contract.js';
import type { ConfiguredConnector } from './connector-runner.js';
import type { ConnectorSection } from './connector-section.js';
import type { HostPauses } from './host-limits.js';
import { type Started, type StartParts, startConnector } from './open-connector.js';
import { startInProcess } from './process-connector.js';

/** A section under `connectors`, as the configuration has it. */
export interface ConnectorInstance extends Pick<
  ConfiguredConnector,
  'name' | 'use' | 'tenant' | 'isEnabled' | 'problem' | 'connector'
> {
  /** The module that it comes from; null: built in. */
  readonly url: string | null;
  /** As parsed; null: it is disabled or cannot be used. */
  readonly section: ConnectorSection | null;
}

/** What each connector is started with. */
export type ConnectorParts = Omit<
  StartParts,
  'name' | 'connector' | 'settings' | 'secrets' | 'allow' | 'ca' | 'log' | 'state' | 'metrics'
> & {
  readonly of: (name: string) => Pick<StartParts, 'log' | 'state' | 'metrics'>;
  /** The program of a connector's process. */
  readonly program: URL;
};

/** The connectors of the configuration; none is started before it is opened. */
export const createConnectors = (
  instances: readonly ConnectorInstance[],
  parts: ConnectorParts,
): { readonly list: readonly ConfiguredConnector[]; readonly stop: () => Promise<void> } => {
  const list = instances.map((instance) => createConfigured(instance, parts));
  return {
    list,
    stop: async () => {
      await Promise.all(list.map(({ close }) => close()));
    },
  };
};

const createConfigured = (
  instance: ConnectorInstance,
  { of, program, ...shared }: ConnectorParts,
): ConfiguredConnector => {
  const { name, tenant, isEnabled, problem, connector, section, use } = instance;
  const pauses: HostPauses = new Map();
  let started: Promise<Started> | undefined;

  const start = (): Promise<Started> => {
    if (!connector || !section)
      return Promise.reject(
        new SourceError('config', problem ?? `The connector ${name} is disabled.`),
      );
    const { isolation, settings, allow, ca } = section;
    const startParts: StartParts = {
      ...shared,
      ...of(name),
      name,
      connector,
      settings,
      allow,
      ca,
      pauses,
    };
    return isolation === 'process'
      ? startInProcess(startParts, { use, url: instance.url, program })
      : startConnector(startParts);
  };

  const close = async (): Promise<void> => {
    const running = started;
    started = undefined;
    await running?.then(
      (one) => one.close(),
      () => undefined,
    );
  };

  const open = async (): Promise<OpenConnector> => {
    if (started && (await isOver(started))) await close();
    const starting = (started ??= start());
    try {
      return (await starting).open;
    } catch (error) {
      // The next call tries again.
      if (started === starting) started = undefined;
      throw error;
    }
  };

  return {
    name,
    use,
    tenant,
    isEnabled,
    problem,
    connector: section ? connector : null,
    isolation: section?.isolation ?? 'none',
    options: section,
    open,
    close,
  };
};

const isOver = async (started: Promise<Started>): Promise<boolean> => {
  try {
    return (await started).isOver();
  } catch {
    return true;
  }
};
