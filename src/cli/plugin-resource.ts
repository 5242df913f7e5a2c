import { InvalidArgumentError } from 'commander';
import type {
  CliAction,
  CliField,
  CliOption,
  CliResource,
  CliSection,
  CliTable,
  Plugin,
} from '../start/load-extensions.js';
import { EXIT, SilentExit } from './cli-error.js';
import { printable, printableLines } from './display-width.js';
import type { FieldOption } from './field-option.js';
import { orDash } from './format-value.js';
import { byId, byIdOr, byScan, hasText } from './locate.js';
import type { Paint } from './paint.js';
import { parsePastTime, parseWholeNumber } from './parse-argument.js';
import { type Action, defineResource, type Field, type Resource } from './resource.js';
import { renderFields, renderTable } from './table.js';

/** The commands that plugins describe, as the core describes its own. */
export const pluginResources = (plugins: readonly Plugin[]): readonly Resource<unknown>[] =>
  plugins.flatMap(({ commands = [] }) => {
    const resources = new Map<string, Resource<unknown>>();
    for (const described of commands)
      resources.set(described.name, resourceOf(described, resources));
    return [...resources.values()];
  });

const resourceOf = (
  described: CliResource,
  earlier: ReadonlyMap<string, Resource<unknown>>,
): Resource<unknown> => {
  const { perTenant, parent: parentName, details, item, ...same } = described;
  const { create, list, update, delete: remove, actions = [] } = described;
  const parent = parentName === undefined ? undefined : earlier.get(parentName);
  return defineResource<unknown>({
    ...same,
    isGlobal: perTenant === false,
    ...(parent && { parent }),
    fields: described.fields.map(fieldOf),
    ...(details && {
      details: (view, { paint }) =>
        details(view)
          .map((section) => `\n${render(section, paint)}`)
          .join(''),
    }),
    ...(item && {
      item,
      locate: item.searched
        ? byIdOr(byScan({ items: described.items }, hasText(...item.searched)))
        : byId,
    }),
    ...(create && { create: { ...create, options: optionsOf(create.options) } }),
    ...(list && { list: { ...list, filters: optionsOf(list.filters) } }),
    ...(update && { update: { ...update, options: optionsOf(update.options) } }),
    ...(remove && {
      delete: {
        ...remove,
        warning: (view, _context, tenant) => printable(remove.warning(view, tenant)),
      },
    }),
    actions: actions.map(actionOf),
  } as Resource<unknown>);
};

const fieldOf = (field: CliField<unknown>): Field<unknown> =>
  'text' in field ? { ...field, text: (view) => orDash(field.text(view)) } : field;

const optionsOf = (options: readonly CliOption[] = []): readonly FieldOption[] =>
  options.map(({ type, nullable, parse, ...option }) => ({
    ...option,
    ...((type ?? nullable ?? parse) && { parse: parserOf({ type, nullable, parse }) }),
  }));

type Parsing = { readonly [Key in 'type' | 'nullable' | 'parse']: CliOption[Key] | undefined };

const parserOf =
  ({ type, nullable, parse = String }: Parsing) =>
  (text: string, now: Date): unknown => {
    if (nullable && text === 'none') return null;
    if (type === 'past-time') return parsePastTime(text, now);
    if (type) return parseWholeNumber(type.min, type.max)(text);
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
    }
  };

const actionOf = ({ run, options, ...action }: CliAction): Action<unknown> => ({
  ...action,
  options: optionsOf(options),
  run: async ({ session, path, id, fields, args }) => {
    let json = '';
    const { note, sections, quiet, isFailure } = await run({
      path,
      id,
      fields,
      args,
      request: async (method, to, parts) => {
        const { text } = await session.client.request(method, to, parts);
        json = text;
        return text === '' ? undefined : (JSON.parse(text) as unknown);
      },
      report: (line) => session.note(`${printable(line)}\n`),
    });
    if (note !== undefined) session.note(printableLines(note));
    session.print({
      people: () => sections.map((section) => render(section, session.paint)).join('\n'),
      json,
      ...(quiet && { quiet: () => quiet.join('\n') }),
    });
    if (isFailure) throw new SilentExit(EXIT.refused);
  },
});

const render = (section: CliSection, paint: Paint): string => {
  if ('text' in section) return printableLines(section.text);
  if ('fields' in section)
    return renderFields(
      section.fields.map(([label, value]) => [label, orDash(value)] as const),
      paint,
    );
  return tableOf(section, paint);
};

const tableOf = ({ columns, rows }: CliTable, paint: Paint): string =>
  rows.length === 0
    ? ''
    : renderTable(
        columns.map((column, index) => ({
          ...column,
          cell: (row: CliTable['rows'][number]) => orDash(row[index]),
        })),
        rows,
        paint,
      );
