import { codeOf, REFUSALS } from '../../domain/kernel/refusals.js';
import { SCOPES } from '../../domain/scopes.js';
import type { Plugin, RunningPlugin } from '../contract/contract.js';
import { everyMs } from './run-timers.js';

/** What a started plugin provides, under the key of its section. */
export interface Provided {
  readonly name: string;
  readonly plugin: Plugin;
  readonly running: RunningPlugin;
}

/** Addresses of the gateway itself. */
const RESERVED = ['/v1', '/admin', '/docs', '/healthz', '/readyz', '/metrics', '/openapi.json'];

const WORDS = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const SITE = /^\/[a-z][a-z0-9-]*$/;

/**
 * Checks what started plugins provide against what they declare, and against each other; each fault is
 * a sentence for the operator and the plugin's author.
 */
export const checkProvided = (provided: readonly Provided[]): readonly string[] => [
  ...provided.flatMap(faultsOfRoutes),
  ...provided.flatMap(faultsOfTimers),
  ...provided.flatMap(faultsOfSites),
  ...conflicts(provided),
];

const faultsOfRoutes = ({ name, plugin, running }: Provided): readonly string[] => {
  const { scopes = [], refusals = [] } = plugin;
  const knownScopes: readonly string[] = [
    'any key',
    'operator',
    ...SCOPES,
    ...scopes.map(({ scope }) => scope),
  ];
  const knownCodes: readonly string[] = [...Object.keys(REFUSALS), ...refusals.map(codeOf)];
  return (running.routes ?? []).flatMap(({ method, path, scope, refusals: codes = [] }) => {
    const route = `The route ${method} ${path} of the plugin ${name}`;
    return [
      ...(knownScopes.includes(scope)
        ? []
        : [`${route} needs the scope "${scope}", which the plugin does not declare.`]),
      ...codes
        .map(codeOf)
        .filter((code) => !knownCodes.includes(code))
        .map((code) => `${route} may refuse with ${code}, which the plugin does not declare.`),
    ];
  });
};

const faultsOfTimers = ({ name, running: { timers = [] } }: Provided) => {
  const names = timers.map((timer) => timer.name);
  const malformed = names.filter((word) => !WORDS.test(word));
  const doubled = names.filter((word, index) => names.indexOf(word) < index);
  const wrong = timers.flatMap((timer) => {
    try {
      everyMs(timer);
      return [];
    } catch (error) {
      return [`The plugin ${name} cannot run. ${(error as Error).message}`];
    }
  });
  return [
    ...malformed.map(
      (word) =>
        `The plugin ${name} names a timer "${word}"; use lower-case words joined by ` + 'hyphens.',
    ),
    ...doubled.map((word) => `The plugin ${name} has two timers named "${word}".`),
    ...wrong,
  ];
};

const faultsOfSites = ({ name, running: { sites = [] } }: Provided): readonly string[] =>
  sites.flatMap(({ at }) => {
    if (!SITE.test(at))
      return [
        `The plugin ${name} serves a site at "${at}"; use one segment of lower-case words, such as ` +
          '"/dashboard".',
      ];
    return RESERVED.includes(at)
      ? [
          `The plugin ${name} serves a site at ${at}, which belongs to Rollgate; use another address.`,
        ]
      : [];
  });

const conflicts = (provided: readonly Provided[]): readonly string[] => {
  const claims = provided.flatMap(({ name, running: { routes = [], sites = [] } }) => [
    ...routes.map(({ api, method, path }) => ({
      name,
      what: `${method} ${path} of the ${api === 'native' ? 'tenant' : "operators'"} API`,
    })),
    ...routes.map(({ operationId }) => ({ name, what: `an operation named ${operationId}` })),
    ...sites.map(({ at }) => ({ name, what: `a site at ${at}` })),
    ...sites.filter(({ isHome }) => isHome).map(() => ({ name, what: 'the site at /' })),
  ]);
  const first = new Map<string, string>();
  return claims.flatMap(({ name, what }) => {
    const other = first.get(what);
    if (other === undefined) {
      first.set(what, name);
      return [];
    }
    return [
      other === name
        ? `The plugin ${name} provides ${what} twice.`
        : `The plugins ${other} and ${name} both provide ${what}; disable one of them.`,
    ];
  });
};
