import type { Fence } from '../../../src/plugin/api.js';
import { UploadStore } from '../uploads/upload-store.js';
import { Documents, type StoreParts } from './documents.js';
import { createLinkStore } from './link-store.js';
import { createPlanStore } from './plan-store.js';
import {
  type ConnectorControl,
  type ConnectorMemory,
  NO_CONTROL,
  NO_MEMORY,
  type QuarantinedRecord,
} from './run-record.js';
import { createStageStore } from './stage-store.js';
import { createStoredRuns } from './stored-runs.js';

/** What one connector of one tenant stores. */
export type ConnectorStore = ReturnType<typeof createConnectorStore>;

/** `fence`: of the run that writes; absent: an operator does. */
export const createConnectorStore = ({
  fence,
  ...given
}: Omit<StoreParts, 'guard'> & { readonly fence?: Fence | undefined }) => {
  const parts: StoreParts = { ...given, guard: fence ? { fence } : {} };
  const { collection, tenantId, connector, guard } = parts;
  const ofConnectors = { collection: collection('connectors'), tenantId, nameOf: () => connector };
  const memories = new Documents<ConnectorMemory>({ ...ofConnectors, prefix: 'memory:', guard });
  // Operators change it, and a run whose lease has ended may still ask for one.
  const controls = new Documents<ConnectorControl>({ ...ofConnectors, prefix: 'control:' });
  return {
    ...createStoredRuns(parts),
    ...createStageStore(parts),
    ...createLinkStore(parts),
    ...createPlanStore(parts),

    /** Of a connector that receives them. */
    uploads: new UploadStore(parts),

    memory: async () => (await memories.get(connector)) ?? NO_MEMORY,
    /** What a run leaves to the next ones. */
    remember: (change: (memory: ConnectorMemory) => Partial<ConnectorMemory>) =>
      memories.change(connector, (memory = NO_MEMORY) => ({ ...memory, ...change(memory) })),
    control: async () => (await controls.get(connector)) ?? NO_CONTROL,
    changeControl: (change: (control: ConnectorControl) => Partial<ConnectorControl>) =>
      controls.change(connector, (control = NO_CONTROL) => ({ ...control, ...change(control) })),

    /** Records that could not be planned or applied. */
    quarantine: new Documents<QuarantinedRecord>({
      collection: collection('quarantine'),
      ...{ tenantId, guard },
      prefix: `${connector}:`,
      nameOf: ({ sourceId }) => sourceId,
    }),
  };
};
