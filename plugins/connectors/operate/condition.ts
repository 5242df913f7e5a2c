import type { RunnerHost } from '../../../src/plugin/connectors-api.js';
import type { ConnectorAccess } from '../connector-access.js';
import type { DeferredLink } from '../run/link-store.js';
import {
  type ConnectorControl,
  type ConnectorMemory,
  isQuarantined,
  NO_CONTROL,
  NO_MEMORY,
} from '../run/run-record.js';
import type { CurrentRuns } from '../run/stored-runs.js';

/** How a connector is, for lists, metrics and the home page. */
export interface ConnectorCondition {
  /** Why it cannot run, as a sentence for an operator. */
  readonly problem: string | null;
  readonly isQuarantined: boolean;
  readonly memory: ConnectorMemory;
  readonly control: ConnectorControl;
  readonly runs: Pick<CurrentRuns, 'open' | 'held' | 'newest'>;
  /** Links whose deactivation waits; the first ones. */
  readonly deferred: readonly DeferredLink[];
}

/** From few reads; also of a connector that cannot be used. */
export const readCondition = async (
  { configured, problem, noTenant, storeOf }: ConnectorAccess,
  { users }: Pick<RunnerHost, 'users'>,
): Promise<ConnectorCondition> => {
  const known = problem();
  const isUsable = known === null && configured.isEnabled;
  const tenant = isUsable ? await users.tenant(configured.tenant) : undefined;
  if (!tenant)
    return {
      problem: isUsable ? noTenant : known,
      isQuarantined: false,
      memory: NO_MEMORY,
      control: NO_CONTROL,
      runs: { open: [], held: [], newest: undefined },
      deferred: [],
    };
  const store = storeOf(tenant);
  const [memory, control] = [await store.memory(), await store.control()];
  return {
    problem: null,
    isQuarantined: isQuarantined(memory, control),
    memory,
    control,
    runs: await store.currentRuns(),
    deferred: await firstPage(store.deferredLinks()),
  };
};

const firstPage = async <Value>(
  pages: AsyncIterable<readonly Value[]>,
): Promise<readonly Value[]> => {
  for await (const page of pages) return page;
  return [];
};
