import { createUploadStore } from '../uploads/upload-store.js';
import { createDocuments, type StoreParts } from './documents.js';
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

export const createConnectorStore = (parts: StoreParts) => {
  const { collection, tenantId, connector, fence } = parts;
  const memories = createDocuments<ConnectorMemory>({
    collection: collection('connectors'),
    ...{ tenantId, fence },
    prefix: 'memory:',
    nameOf: () => connector,
  });
  const controls = createDocuments<ConnectorControl>({
    collection: collection('connectors'),
    tenantId,
    // Operators change it, and a run whose lease has ended may still ask for one.
    fence: undefined,
    prefix: 'control:',
    nameOf: () => connector,
  });
  return {
    ...createStoredRuns(parts),
    ...createStageStore(parts),
    ...createLinkStore(parts),
    ...createPlanStore(parts),

    /** Of a connector that receives them. */
    uploads: createUploadStore(parts),

    memory: async () => (await memories.get(connector)) ?? NO_MEMORY,
    /** What a run leaves to the next ones. */
    remember: (change: (memory: ConnectorMemory) => Partial<ConnectorMemory>) =>
      memories.change(connector, (memory = NO_MEMORY) => ({ ...memory, ...change(memory) })),
    control: async () => (await controls.get(connector)) ?? NO_CONTROL,
    changeControl: (change: (control: ConnectorControl) => Partial<ConnectorControl>) =>
      controls.change(connector, (control = NO_CONTROL) => ({ ...control, ...change(control) })),

    /** Records that could not be planned or applied. */
    quarantine: createDocuments<QuarantinedRecord>({
      collection: collection('quarantine'),
      ...{ tenantId, fence },
      prefix: `${connector}:`,
      nameOf: ({ sourceId }) => sourceId,
    }),
  };
};
