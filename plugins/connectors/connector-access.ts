import {
  type Clock,
  type Fence,
  raise,
  RefusalError,
  type SourceCheck,
  SourceError,
  type SourceField,
  type Tenant,
} from '../../src/plugin/api.js';
import type { ConfiguredConnector, RunnerHost } from '../../src/plugin/connectors-api.js';
import { type CompiledConnector, compileConnector } from './compile-connector.js';
import { CONNECTOR_DISABLED, CONNECTOR_UNREACHABLE } from './declarations.js';
import type { Evaluate } from './mapping/jsonata-process.js';
import { type ConnectorStore, createConnectorStore } from './run/connector-store.js';
import { createGateway, type Gateway } from './run/gateway.js';

export interface ServiceParts {
  readonly host: Pick<RunnerHost, 'collection' | 'commandsOf' | 'users' | 'leases' | 'log' | 'now'>;
  readonly configured: ConfiguredConnector;
  readonly evaluate: Evaluate;
  readonly machineNow: () => Date;
  readonly clock: Clock;
}

/** A connector of the configuration, its source, and what is stored of it. */
export type ConnectorAccess = ReturnType<typeof createConnectorAccess>;

export const createConnectorAccess = ({ host, configured, evaluate }: ServiceParts) => {
  const { name, connector } = configured;
  let ready: CompiledConnector | undefined;

  /** Refuses if its section of the configuration is wrong, or switched off. */
  const compiled = (): CompiledConnector => {
    if (configured.problem !== null || !connector)
      return raise(CONNECTOR_DISABLED, configured.problem ?? `The connector ${name} is disabled.`);
    try {
      return (ready ??= compileConnector(configured, evaluate));
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error);
      return raise(CONNECTOR_DISABLED, `connectors.${name}.${fault}.`);
    }
  };

  const noTenant = `There is no tenant "${configured.tenant}".`;
  const tenant = async (): Promise<Tenant> =>
    (await host.users.tenant(configured.tenant)) ?? raise('TENANT_NOT_FOUND', noTenant);

  const storeOf = ({ id }: Tenant, fence?: Fence): ConnectorStore =>
    createConnectorStore({
      collection: (collection) => host.collection(collection),
      tenantId: id,
      connector: name,
      receivesUploads: connector?.receivesUploads === true,
      ...{ now: host.now, fence },
    });

  return {
    configured,
    compiled,
    noTenant,
    tenant,
    storeOf,
    store: async (): Promise<ConnectorStore> => storeOf(await tenant()),
    /** `requestId`: in the provisioning log. */
    gatewayOf: ({ id }: Tenant, requestId: string, signal: AbortSignal): Gateway =>
      createGateway(host, { tenantId: id, connector: name, requestId, signal }),
    /** What is wrong with its section of the configuration. */
    problem: (): string | null => {
      if (configured.problem === null && !configured.isEnabled) return null;
      try {
        compiled();
        return null;
      } catch (error) {
        return error instanceof RefusalError ? error.refusal.message : String(error);
      }
    },
    check: async (signal: AbortSignal): Promise<SourceCheck> => {
      compiled();
      try {
        return await (await configured.open()).check(signal);
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        return { ok: false, kind: error.kind, message: error.message };
      }
    },
    discover: async (signal: AbortSignal): Promise<readonly SourceField[] | undefined> => {
      compiled();
      try {
        return await (await configured.open()).discover?.(signal);
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        return raise(CONNECTOR_UNREACHABLE, error.message);
      }
    },
  };
};
