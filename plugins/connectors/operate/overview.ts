import type {
  Attention,
  ExtensionOverview,
  SearchResult,
  Tenant,
} from '../../../src/plugin/api.js';
import type { ConnectorService } from '../run/connector-service.js';

interface State {
  readonly is: 'fine' | 'held' | 'failed';
  readonly attention?: Attention;
}

const stateOf = async (service: ConnectorService): Promise<State> => {
  const { name } = service.configured;
  const link = `connectors/${name}`;
  const failed = (code: string, message: string, action: string): State => ({
    is: 'failed',
    attention: { severity: 'error', code, message, action, link },
  });
  const { problem, isQuarantined, memory, runs } = await service.condition();
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
  if (held)
    return {
      is: 'held',
      attention: {
        severity: 'warning',
        code: 'CONNECTOR_RUN_HELD',
        message: `A run of the connector ${name} waits for approval: ${held.message ?? 'its plan is unusual.'}`,
        action: 'Look at its plan; then approve or reject it.',
        link: `${link}?run=${held.id}`,
      },
    };
  const last = runs.newest;
  if (last?.state === 'failed')
    return failed(
      'CONNECTOR_RUN_FAILED',
      `The last run of the connector ${name} failed: ${last.message ?? 'no reason is recorded.'}`,
      'Check that its source can be reached; the next run is on schedule.',
    );
  return { is: 'fine' };
};

const isOf =
  ({ slug }: Pick<Tenant, 'slug'>) =>
  ({ configured }: ConnectorService): boolean =>
    configured.tenant === slug;

/** The connectors of a tenant that wait for an operator. The configuration lists them. */
export const readOverview = async (
  services: readonly ConnectorService[],
  tenant: Tenant,
): Promise<ExtensionOverview> => {
  const own = services.filter(isOf(tenant));
  const states = await Promise.all(
    own.filter(({ configured }) => configured.isEnabled).map(stateOf),
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
