import {
  type Attention,
  type ExtensionOverview,
  type SearchResult,
  type Tenant,
  timeInWords,
} from '../../../src/plugin/api.js';
import type { ConnectorService } from '../connector-service.js';
import type { DeferredLink } from '../run/link-store.js';
import type { RunRecord } from '../run/run-record.js';
import { counted, summaryOf } from './plan-in-words.js';

interface State {
  readonly is: 'fine' | 'held' | 'failed';
  readonly attention?: readonly Attention[];
}

/** A reminder: from then on a held run is an error, which notifications report again. */
const REMINDER_MS = 6 * 3_600_000;

const heldRun = (name: string, run: RunRecord, now: Date): Attention => {
  const { id, message, expiresAt } = run;
  const end = expiresAt === null ? undefined : new Date(expiresAt);
  const isLate = end !== undefined && end.getTime() - now.getTime() <= REMINDER_MS;
  const why = `${message ?? 'its plan is unusual.'} The plan: ${summaryOf(run)}.`;
  return {
    severity: isLate ? 'error' : 'warning',
    code: 'CONNECTOR_RUN_HELD',
    message: isLate
      ? `A run of the connector ${name} expires on ${timeInWords(end)} without approval: ${why}`
      : `A run of the connector ${name} waits for approval: ${why}`,
    action:
      'Look at its plan; then approve or reject it' +
      `${end && !isLate ? ` by ${timeInWords(end)}` : ''}.`,
    link: `connectors/${name}?run=${id}`,
  };
};

const deferredUsers = (name: string, links: readonly DeferredLink[]): Attention => {
  const [first] = links;
  const users = counted(links.length, 'user stays', 'users stay');
  return {
    severity: 'warning',
    code: 'CONNECTOR_DEFERRED',
    message:
      `${users} active although the record in the connector ${name} has ended.` +
      (first ? ` ${first.sourceId} (${first.label}): ${first.deferred.why}` : ''),
    action: 'Correct or ignore the other record; else the user is deactivated at that time.',
    link: `connectors/${name}`,
  };
};

const stateOf = async (service: ConnectorService, now: Date): Promise<State> => {
  const { name } = service.configured;
  const link = `connectors/${name}`;
  const { problem, isQuarantined, memory, runs, deferred } = await service.condition();
  const waiting = deferred.length === 0 ? [] : [deferredUsers(name, deferred)];
  const failed = (code: string, message: string, action: string): State => ({
    is: 'failed',
    attention: [{ severity: 'error', code, message, action, link }, ...waiting],
  });
  if (problem !== null)
    return failed(
      'CONNECTOR_UNUSABLE',
      `The connector ${name} cannot be used: ${problem}`,
      'Correct its section of the configuration; "rollgate config check" shows each error.',
    );
  if (isQuarantined)
    return failed(
      'CONNECTOR_QUARANTINED',
      `The connector ${name} has stopped: ${memory.quarantineReason ?? 'most records failed.'}`,
      'See which records failed and why; then resume it.',
    );
  const [held] = runs.held;
  if (held) return { is: 'held', attention: [heldRun(name, held, now), ...waiting] };
  const last = runs.newest;
  if (last?.state === 'failed')
    return failed(
      'CONNECTOR_RUN_FAILED',
      `The last run of the connector ${name} failed: ${last.message ?? 'no reason is recorded.'}`,
      'Check that its source can be reached; the next run is on schedule.',
    );
  return { is: 'fine', attention: waiting };
};

const isOf =
  ({ slug }: Pick<Tenant, 'slug'>) =>
  ({ configured }: ConnectorService): boolean =>
    configured.tenant === slug;

/** The connectors of a tenant that wait for an operator. The configuration lists them. */
export const readOverview = async (
  services: readonly ConnectorService[],
  tenant: Tenant,
  now: Date,
): Promise<ExtensionOverview> => {
  const own = services.filter(isOf(tenant));
  const states = await Promise.all(
    own.filter(({ configured }) => configured.isEnabled).map((service) => stateOf(service, now)),
  );
  return {
    counts: {
      total: own.length,
      held: states.filter(({ is }) => is === 'held').length,
      failed: states.filter(({ is }) => is === 'failed').length,
    },
    attention: states.flatMap(({ attention }) => attention ?? []),
  };
};

const NO_WORD = /[^\p{L}\p{N}]+/u;

/** A tenant's connectors of which a word of the name or title begins with the text. */
export const searchConnectors = (
  services: readonly ConnectorService[],
  tenant: Tenant,
  text: string,
): readonly SearchResult[] =>
  services.filter(isOf(tenant)).flatMap(({ configured: { name, connector } }) => {
    const title = connector?.title ?? name;
    const words = [name, title, ...`${name} ${title}`.split(NO_WORD)];
    const matches = words.some((one) => one.toLowerCase().startsWith(text));
    return matches ? [{ kind: 'connector', id: name, title: name, subtitle: title } as const] : [];
  });
