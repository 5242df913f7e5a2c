import type { Command } from 'commander';
import { basename, extname } from 'node:path';
import { nearestName } from '../../../config/did-you-mean.js';
import { connectorNames, type ConnectorTrial, tryConnector } from '../../start/try-connector.js';
import type { JsonValue } from '../../domain/kernel/json.js';
import type { CliContext } from '../cli-context.js';
import { CliError, usageError } from '../cli-error.js';
import { addExamples } from '../help.js';
import { formatOf, printResult } from '../output.js';
import { renderSection, type Section } from '../table.js';
import { createPaint, printable } from '../terminal-text.js';
import { problemLine } from './config.js';

/** People whose users are shown. */
const MAX_SHOWN = 3;

/** `rollgate connector try`, which needs no gateway. */
export const addConnectorTry = (connector: Command, context: CliContext): void => {
  const { env, cwd, stdout, stderr } = context;
  const command = connector
    .command('try')
    .summary('read the first page of a connector and map it, without a gateway')
    .description(
      'Check the section of a connector, read the first page of its source, and show the fields that ' +
        'were found, the users that the first people become, and each mistake with its line in the ' +
        'file. It needs neither a gateway nor a database and stores nothing. Secrets and phone ' +
        'numbers are masked; other values of people are shown. Exits with 1 if no record can be used.',
    )
    .argument('<file>', 'settings file, or a file with the section of one connector')
    .option('--name <name>', 'key of the section, if the file has several connectors')
    .action(async (path: string, { name: wanted }: { readonly name?: string }) => {
      const options = { env, cwd, path, section: wanted ?? nameFrom(path) };
      const name = chooseName(connectorNames(options), wanted, path);
      const isTable = formatOf(command) === 'table';
      const trial = await tryConnector(options, {
        name,
        // Nothing is stored: Ctrl-C ends the process at once, also if the connector loops.
        signal: new AbortController().signal,
        report: (line) => {
          if (isTable) stderr.write(`${printable(line)}\n`);
        },
      });
      const { problems, warnings } = trial;
      const ok = problems.length === 0;
      const paint = createPaint(stdout.hasColours);
      printResult(command, context, {
        people: () =>
          sectionsOf(trial, name)
            .map((one) => renderSection(one, paint))
            .join('\n'),
        json: JSON.stringify({ ok, ...trial }, null, 2),
        quiet: () => trial.people.map(({ record }) => record).join('\n'),
      });
      if (isTable)
        for (const warning of warnings)
          stderr.write(`warning: ${printable(problemLine(warning))}\n`);
      if (!ok)
        throw new CliError(
          'FAILED',
          `The connector ${name} has ${problems.length === 1 ? 'an error' : `${problems.length} errors`}.`,
          problems.map(problemLine),
        );
    });
  addExamples(command, [
    ['rollgate connector try config/rollgate.yaml --name hr', 'the connector "hr" of this file'],
    ['rollgate connector try rest.yaml', 'a file with one section: use, tenant, settings, map'],
  ]);
};

/** `My rest.yaml`: `my-rest` */
const nameFrom = (path: string): string =>
  basename(path, extname(path))
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[^a-z]+|-$/g, '') || 'connector';

const chooseName = (names: readonly string[], wanted: string | undefined, path: string): string => {
  const [first, ...others] = names;
  if (first === undefined)
    return usageError(
      `${path} has no connector.`,
      'Expected a section "connectors", or "use: rest" and the rest of one section at the top level.',
    );
  if (wanted === undefined && others.length === 0) return first;
  if (wanted !== undefined && names.includes(wanted)) return wanted;
  const meant = wanted === undefined ? undefined : nearestName(wanted, names);
  return usageError(
    wanted === undefined
      ? `${path} has ${names.length} connectors; choose one with --name.`
      : `${path} has no connector "${wanted}".`,
    meant === undefined ? `Connectors: ${names.join(', ')}` : `Did you mean "${meant}"?`,
  );
};

/** Up to three people who together use most rules: one with a manager, one who left, one who fails. */
const examplesOf = (people: ConnectorTrial['people']): ConnectorTrial['people'] => {
  const seen = new Set<string>();
  const chosen = new Set<ConnectorTrial['people'][number]>();
  while (chosen.size < Math.min(MAX_SHOWN, people.length)) {
    let [best, most]: [ConnectorTrial['people'][number] | undefined, number] = [undefined, -1];
    for (const person of people) {
      const fresh = chosen.has(person)
        ? -1
        : tracesOf(person).filter((one) => !seen.has(one)).length;
      if (fresh > most) [best, most] = [person, fresh];
    }
    if (!best) break;
    chosen.add(best);
    for (const trace of tracesOf(best)) seen.add(trace);
  }
  return people.filter((person) => chosen.has(person));
};

/** What the rules have made of a person: each attribute, the state, and groups. */
const tracesOf = (person: ConnectorTrial['people'][number]): readonly string[] =>
  'message' in person
    ? ['quarantine']
    : [
        ...Object.keys(person.attributes),
        `state ${person.state}`,
        ...(person.groups.length > 0 ? ['groups'] : []),
      ];

const sectionsOf = (
  { records, hasMore, readsChanges, fields, people }: ConnectorTrial,
  name: string,
): readonly Section[] =>
  records === 0
    ? []
    : [
        {
          text: hasMore
            ? `${name}: ${records} people on the first page; more follow.\n`
            : `${name}: ${records} people, and no further page. If the source has more, check how it is paged.\n`,
        },
        ...(readsChanges
          ? [
              {
                text: 'Reading changes (`schedule.delta`) is not tried: only a run reads with the time of the run before.\n',
              },
            ]
          : []),
        {
          columns: [{ title: 'FIELD' }, { title: 'TYPE' }, { title: 'EXAMPLE' }],
          rows: fields.map(({ path, type, value }) => [path, type, shown(value)]),
        },
        ...examplesOf(people).map((person): Section => {
          if ('message' in person)
            return { title: `Record ${person.record}`, text: `quarantine: ${person.message}\n` };
          const { attributes, state, why, groups } = person;
          return {
            title: `Record ${person.record}`,
            fields: [
              ...Object.entries(attributes).map(([key, value]) => [key, shown(value)] as const),
              ['state', `${state}: ${why}`],
              ...(groups.length > 0 ? [['groups', groups.join(', ')] as const] : []),
            ],
          };
        }),
      ];

const MAX_VALUE = 60;

const shown = (value: JsonValue | undefined): string | undefined => {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
};
