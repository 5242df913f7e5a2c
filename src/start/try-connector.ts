import type { ConfigProblem } from '../../config/config-error.js';
import { type LoadOptions, readSources } from '../../config/load-config.js';
import { secretsIn } from '../../config/secret.js';
import { keyOf, type PlainObject, type SettingPath, valueAt } from '../../config/setting-path.js';
import { capitalise } from '../domain/kernel/in-words.js';
import type { MappedPerson } from '../plugin/connector-runtime/connector-runner.js';
import { STANDALONE, startConnector, stateIn } from '../plugin/connector-runtime/open-connector.js';
import { SourceError } from '../plugin/contract/connector-contract.js';
import { fieldsOfRecords, type FoundField } from '../plugin/contract/fields-of-records.js';
import { readSample, type SourceSample } from '../plugin/contract/read-sample.js';
import { createNameResolver } from '../plugin/outbound/name-resolver.js';
import { type OutboundProxy, readProxy } from '../plugin/outbound/outbound-proxy.js';
import { maskValues } from '../process/mask-json.js';
import { VERSION } from '../process/program.js';
import { type CheckedConnector, inspectConfig } from './check-config.js';
import { loadPlugins } from './load-extensions.js';

/** What a connector reads first, and what becomes of it. */
export interface ConnectorTrial {
  /** Whether more follows the records. */
  readonly hasMore: boolean;
  readonly records: number;
  /** Whether the section also schedules reads of changes. */
  readonly readsChanges: boolean;
  /** Their fields, with example values; secrets and phone numbers are masked, as below. */
  readonly fields: readonly FoundField[];
  readonly people: readonly MappedPerson[];
  /** With these errors, no record can be used. */
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];
}

interface TrialParts {
  /** The key of the section. */
  readonly name: string;
  readonly signal: AbortSignal;
  /** Receives what the connector logs, such as that it waits. */
  readonly report: (line: string) => void;
}

/** The keys of the sections under `connectors`. Throws a ConfigError if the file cannot be read. */
export const connectorNames = (options: LoadOptions): readonly string[] =>
  Object.keys(valueAt(readSources(options).merged, ['connectors']) ?? {});

/**
 * Checks the section of a connector, starts the connector in this process, reads its first page, and
 * maps the records. There is no gateway, and nothing is stored.
 */
export const tryConnector = async (
  options: LoadOptions,
  parts: TrialParts,
): Promise<ConnectorTrial> => {
  const loaded = await loadPlugins(options);
  const { plugins } = inspectConfig(options, loaded);
  const { placeOf } = readSources(options, loaded.sections);
  const at = (path: SettingPath, message: string): ConfigProblem => {
    const whole = ['connectors', parts.name, ...path];
    return { place: placeOf(whole), key: keyOf(whole), message };
  };
  const found = plugins.connectors.find(({ name }) => name === parts.name);
  const nothing = {
    ...{ hasMore: false, records: 0, readsChanges: false },
    ...{ fields: [], people: [], warnings: [] },
  };
  if (!found?.connector || !found.section) {
    const problems = found?.problems ?? [];
    const disabled = at(['enabled'], 'is false; a connector that is disabled cannot be tried');
    return { ...nothing, problems: problems.length > 0 ? problems : [disabled] };
  }
  const { connector, section } = found;
  let read: SourceSample;
  try {
    read = await readFirstPage({ ...found, connector, section }, parts, readProxy(options.env));
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { ...nothing, problems: placesOf(error, section.settings, at) };
  }
  const { records, hasMore, errors } = read;
  const unread = [...new Set(errors.map(({ message }) => message))].map((message) =>
    at(['settings'], message),
  );
  if (records.length === 0)
    return {
      ...nothing,
      hasMore,
      problems: [
        ...unread,
        at(['settings'], 'the first page has no people. Check what the credentials may read'),
      ],
    };
  const mapped = await loaded.runner?.mapRecords(
    { name: parts.name, connector, options: section },
    records,
    new Date(),
  );
  const people = mapped?.people ?? [];
  const faults = (mapped?.faults ?? []).map(({ path, message }) => at(path, message));
  const isUsable = people.some(
    (person) => 'attributes' in person && Object.keys(person.attributes).length > 0,
  );
  return {
    hasMore,
    records: records.length,
    readsChanges: valueAt(section, ['schedule', 'delta']) !== undefined,
    fields: fieldsOfRecords(records.map(({ data }) => maskValues(data))),
    people: people.map((person) =>
      'attributes' in person ? { ...person, attributes: maskValues(person.attributes) } : person,
    ),
    problems: isUsable ? [] : [...unread, ...faults],
    warnings: isUsable ? [...unread, ...faults] : [],
  };
};

type UsableConnector = Pick<CheckedConnector, 'name'> & {
  readonly connector: NonNullable<CheckedConnector['connector']>;
  readonly section: NonNullable<CheckedConnector['section']>;
};

const readFirstPage = async (
  { name, connector, section }: UsableConnector,
  { signal, report }: TrialParts,
  proxy: OutboundProxy | undefined,
): Promise<SourceSample> => {
  const { settings, allow, ca } = section;
  const resolver = createNameResolver();
  const log = (fields: object, message: string): void =>
    report(sentenceOf(fields as PlainObject, message));
  try {
    const started = await startConnector({
      ...STANDALONE,
      ...{ name, connector, settings, allow, ca },
      log: { debug: () => undefined, info: log, warn: log, error: log },
      state: stateIn(new Map()),
      resolve: resolver.resolve,
      proxy,
      userAgent: `Rollgate/${VERSION}`,
    });
    try {
      return await readSample(started.open, { pageSize: PAGE_SIZE, most: MAX_RECORDS, signal });
    } finally {
      await started.close();
    }
  } finally {
    resolver.close();
  }
};

/** `The server … cannot be read. Waiting for the source: next attempt in 2 s.` */
const sentenceOf = ({ reason, seconds }: PlainObject, message: string): string => {
  const next = typeof seconds === 'number' ? `: next attempt in ${seconds} s` : '';
  const done = `${capitalise(message)}${next}`.replace(/[^.]$/, '$&.');
  return typeof reason === 'string' ? `${reason} ${done}` : done;
};

const PAGE_SIZE = 20;
/** Of a source that has everything in one response. */
const MAX_RECORDS = 100;

/** An error of a source, where the settings are that its message names in backticks. */
const placesOf = (
  { kind, message }: SourceError,
  settings: unknown,
  at: (path: SettingPath, message: string) => ConfigProblem,
): readonly ConfigProblem[] => {
  const named = [...message.matchAll(/`(\w+(?:\.\w+)*)`/g)]
    .map(([, name = '']) => name.split('.'))
    .filter(([first = '']) => valueAt(settings, [first]) !== undefined);
  if (named.length > 0) return named.map((path) => at(['settings', ...path], message));
  const [secret] = kind === 'auth' || kind === 'permission' ? secretsIn(settings) : [];
  return secret ? secret.configError(message).problems : [at(['settings'], message)];
};
