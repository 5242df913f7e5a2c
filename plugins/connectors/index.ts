import { systemClock } from '../../src/plugin/api.js';
import { defineConnectorRunner } from '../../src/plugin/connectors-api.js';
import { checkOptions } from './check-options.js';
import { PUSH, REFUSALS, TAGS } from './declarations.js';
import { createJsonataProcess, type JsonataProcess } from './mapping/jsonata-process.js';
import { COMMANDS } from './operate/commands.js';
import { explainPerson } from './operate/explain-person.js';
import { mapRecords } from './operate/map-records.js';
import { readOverview, searchConnectors } from './operate/overview.js';
import { connectorRoutes } from './operate/routes.js';
import { ConnectorOptions } from './options.js';
import { COLLECTIONS } from './run/documents.js';
import { type ConnectorService, createConnectorService } from './connector-service.js';
import { uploadRoutes } from './uploads/upload-routes.js';

const countStates = async (services: readonly ConnectorService[]) => {
  const states = { held: 0, quarantined: 0, unusable: 0 };
  for (const service of services) {
    const { problem, isQuarantined, runs } = await service.condition();
    if (problem !== null) states.unusable += 1;
    if (isQuarantined) states.quarantined += 1;
    if (runs.held.length > 0) states.held += 1;
  }
  return Object.entries(states).map(([state, value]) => ({ labels: { state }, value }));
};

const checkHealth = async (services: readonly ConnectorService[]) => {
  const problems: string[] = [];
  for (const service of services) {
    const { problem } = await service.condition();
    if (problem !== null) problems.push(`${service.configured.name}: ${problem}`);
  }
  return problems.length === 0
    ? { ok: true, message: `Connectors that are enabled: ${services.length}.` }
    : { ok: false, message: problems.join(' ') };
};

/** Runs the connectors of the configuration (decision 0032). */
export const connectors = defineConnectorRunner({
  apiVersion: 1,
  name: 'connectors',
  title: 'Connectors',
  description: 'Pulls users from HR systems and directories on a schedule.',
  connectorOptions: ConnectorOptions,
  checkConnectorOptions: (options) => checkOptions(options as ConnectorOptions),
  mapRecords,
  collections: COLLECTIONS,
  scopes: [{ scope: PUSH, allows: 'upload people to connectors' }],
  refusals: REFUSALS,
  tags: TAGS,
  commands: COMMANDS,
  start: (host) => {
    // One for each connector: a tenant's expressions wait for none of another tenant.
    const expressions: JsonataProcess[] = [];
    const services = host.connectors.map((configured) => {
      const jsonata = createJsonataProcess();
      expressions.push(jsonata);
      return createConnectorService({
        host,
        configured,
        evaluate: jsonata.evaluate,
        machineNow: () => new Date(),
        clock: systemClock,
      });
    });
    const usable = services.filter(({ configured }) => configured.isEnabled);
    if (usable.length > 0)
      host.metrics.gauge(
        {
          name: 'state',
          help: 'Connectors that wait for an approval (held), are in quarantine, or cannot be used.',
          labels: ['state'],
        },
        () => countStates(usable),
      );
    return {
      routes: [...connectorRoutes({ host, services }), ...uploadRoutes(services)],
      overview: {
        counts: {
          total: 'Connectors.',
          held: 'With a run that waits for approval.',
          failed: 'Unusable, quarantined, or with a failed last run.',
        },
        read: (tenant) => readOverview(services, tenant, host.now()),
      },
      explain: async (tenant, person) => {
        const own = usable.filter(
          ({ configured, problem }) => configured.tenant === tenant.slug && problem() === null,
        );
        const found = own.map((service) => explainPerson(service, tenant, person, host.now()));
        return (await Promise.all(found)).flat();
      },
      search: (tenant, text) => Promise.resolve(searchConnectors(services, tenant, text)),
      // Without connectors there is nothing to wake up for.
      timers:
        usable.length === 0
          ? []
          : [
              {
                name: 'schedule',
                every: '5s',
                run: async () => {
                  for (const service of usable)
                    await service.tick().catch((error: unknown) => {
                      const { name } = service.configured;
                      host.log.warn({ err: error, connector: name }, 'a schedule failed');
                    });
                },
              },
            ],
      health: () => checkHealth(usable),
      stop: async () => {
        await Promise.all(services.map((service) => service.idle()));
        await Promise.all(services.map(({ configured }) => configured.close()));
        await Promise.all(expressions.map(({ stop }) => stop()));
      },
    };
  },
});
