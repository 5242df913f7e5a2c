import type { Command } from 'commander';
import { z } from 'zod';
import { programHint } from '../process/program.js';
import type { CliContext } from './cli-context.js';
import { usageError } from './cli-error.js';
import { completeItems, completeTenants } from './complete-items.js';
import { type Complete, completeBy, setDefaultCommand } from './completions.js';
import { confirm } from './confirm.js';
import { printable } from './display-width.js';
import { addFieldOptions, type FieldOption, givenFields } from './field-option.js';
import type { GatewayResponse } from './gateway-client.js';
import { formatTime } from './format-time.js';
import { addExamples, addHelpSection } from './help.js';
import { capitalise, locateItem, withoutArticle } from './locate-item.js';
import { OFFSET_PAGING } from './paging.js';
import { parseSlug } from './parse-argument.js';
import type {
  Action,
  Argument,
  CollectionAction,
  CreateVerb,
  DeleteVerb,
  Field,
  ListVerb,
  Locatable,
  MoreOfItem,
  Resource,
  ShowVerb,
  UpdateVerb,
  Verb,
  ViewContext,
} from './resource.js';
import { type Access, describeAccess, openSession, type Session } from './session.js';
import { renderFields, renderTable } from './table.js';

interface Target {
  readonly group: Command;
  readonly context: CliContext;
  readonly resource: Resource<unknown>;
}

/** Adds a command with the resource's verbs, in the same order and form for every resource. */
export const addResource = (
  program: Command,
  context: CliContext,
  resource: Resource<unknown>,
): void => {
  const { name, summary, description } = resource;
  const group = program.command(name).summary(summary).description(description);
  group.helpCommand(false);
  const target = { group, context, resource };
  if (resource.create) addCreate(target, resource.create);
  if (resource.list) addList(target, resource.list);
  if (resource.show) addShow(target, resource.show);
  if (resource.update) addUpdate(target, resource.update);
  if (resource.delete) addDelete(target, resource.delete);
  for (const action of resource.actions ?? []) addAction(target, action);
  for (const action of resource.collectionActions ?? []) addCollectionAction(target, action);
};

// ── The form of a command ────────────────────────────────────────────────────────────────────────

const TENANT: Argument = { name: '<tenant>', help: "the tenant's slug", parse: parseSlug };

interface Form {
  readonly name: string;
  readonly verb: Verb;
  /** Used unless the verb has its own. */
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  readonly isOnItem?: boolean;
  readonly arguments?: readonly Argument[] | undefined;
  readonly options?: readonly FieldOption[] | undefined;
  readonly isConfirmed?: boolean;
  readonly isFollowed?: boolean;
  readonly isDefault?: boolean;
}

/** One run of a command. */
interface Call {
  readonly session: Session;
  /** Of the collection. */
  readonly path: string;
  /** What the operator typed to name the item. */
  readonly wanted: string;
  readonly args: readonly string[];
  readonly fields: Record<string, unknown>;
  /** `--yes` */
  readonly yes: boolean;
  /** `--follow` */
  readonly isFollowed: boolean;
}

const addVerb = (
  { group, context, resource }: Target,
  form: Form,
  run: (call: Call) => Promise<void>,
): void => {
  const { name, verb, access, isOnItem, arguments: further = [], options = [] } = form;
  const command = group.command(name);
  command.aliases(verb.aliases ?? []);
  const summary = verb.summary ?? form.summary;
  command.summary(summary);
  command.description(verb.description ?? form.description ?? `${capitalise(summary)}.`);
  const { isGlobal, parent, item } = resource;
  const owners = [...(isGlobal ? [] : [TENANT]), ...(parent?.item ? [parent.item] : [])];
  const all = [...owners, ...(isOnItem && item ? [item] : []), ...further];
  for (const { name: argument, help, parse = String } of all) {
    command.argument(argument, help, (text) => parse(text));
    completeBy(command.registeredArguments.at(-1), completerOf(argument, { context, resource }));
  }
  if (form.isDefault) setDefaultCommand(group, command);
  addFieldOptions(command, options, context.now);
  if (form.isConfirmed) command.option('-y, --yes', 'do not ask for confirmation');
  if (form.isFollowed) command.option('-f, --follow', 'print new ones until you press Ctrl-C');
  for (const [title, lines] of Object.entries(verb.sections ?? {}))
    addHelpSection(command, title, lines);
  addHelpSection(command, 'Credentials', describeAccess(access));
  addExamples(command, verb.examples);
  command.action(async () => {
    const values = [...(command.processedArgs as readonly string[])];
    const tenant = isGlobal ? undefined : values.shift();
    const session = openSession(context, command, { access, ...(tenant && { tenant }) });
    const nesting = parent ? await itemPath(session, parent, values.shift() ?? '') : '';
    const wanted = isOnItem ? (values.shift() ?? '') : '';
    const fields = givenFields(command, options);
    for (const [index, { field }] of further.entries())
      if (field !== undefined) fields[field] = values[index];
    const yes = command.getOptionValue('yes') === true;
    const isFollowed = command.getOptionValue('follow') === true;
    const path = `${nesting}${resource.path}`;
    await run({ session, path, wanted, args: values, fields, yes, isFollowed });
  });
};

/** Names of tenants and items are completed with those that the gateway has. */
const completerOf = (
  argument: string,
  { context, resource }: Pick<Target, 'context' | 'resource'>,
): Complete => {
  const { parent, item } = resource;
  if (argument === TENANT.name) return completeTenants(context);
  if (argument === parent?.item?.name) return completeItems(context, parent);
  if (argument !== item?.name) return () => Promise.resolve([]);
  if (resource.candidates) return completeItems(context, resource.candidates);
  if (!parent) return completeItems(context, resource);
  return completeItems(context, resource, (session, [, owner = '']) =>
    itemPath(session, parent, owner),
  );
};

// ── Single items ─────────────────────────────────────────────────────────────────────────────────

const itemPath = async (session: Session, resource: Locatable, wanted: string): Promise<string> => {
  const { id } = await locateItem(session, resource, resource.path, wanted);
  return `${resource.path}/${id}`;
};

interface Item {
  readonly path: string;
  readonly id: string;
  readonly response: GatewayResponse;
  readonly view: unknown;
}

const readItem = async (
  { resource }: Target,
  { session, path: collection, wanted }: Call,
): Promise<Item> => {
  const { id, response: known } = await locateItem(session, resource, collection, wanted);
  const path = `${collection}/${id}`;
  const response = known ?? (await session.client.request('GET', path));
  return { path, id, response, view: session.read(resource.view, response) };
};

const textOf = (field: Field<unknown>, view: unknown, context: ViewContext): string => {
  if ('text' in field) return field.text(view, context);
  const time = field.time(view);
  return time === null ? '-' : formatTime(time, context.now);
};

const printItem = (
  { resource }: Target,
  session: Session,
  response: GatewayResponse,
  more?: MoreOfItem,
): unknown => {
  const { access, context, paint } = session;
  const { fields, id, details } = resource;
  const view = session.read(resource.view, response);
  const shown = { now: context.now(), access };
  session.print({
    people: () =>
      renderFields(
        fields
          .filter(({ only }) => only !== 'list')
          .map((field) => [field.label, textOf(field, view, shown)] as const),
        paint,
      ) +
      (details?.(view, session) ?? '') +
      (more?.text ?? ''),
    json: more ? withMore(response.text, more) : response.text,
    quiet: () => id(view),
  });
  return view;
};

const withMore = (text: string, { json }: MoreOfItem): string =>
  JSON.stringify({ ...(JSON.parse(text) as object), ...json });

const report = ({ resource }: Target, done: string, view: unknown): string =>
  `${done} ${withoutArticle(resource.noun)} ${printable(resource.label(view))}.`;

// ── The verbs ────────────────────────────────────────────────────────────────────────────────────

const addCreate = (target: Target, verb: CreateVerb<unknown>): void => {
  const { resource } = target;
  const { arguments: args, options, complete, print, next } = verb;
  const access = verb.access ?? resource.writeAccess ?? resource.readAccess;
  const summary = `create ${resource.noun}`;
  const form = { name: 'create', verb, summary, access, arguments: args, options };
  addVerb(target, form, async ({ session, path, fields }) => {
    const body = complete ? complete(fields) : fields;
    const response = await session.client.request('POST', path, { body });
    if (print) {
      print(session, response);
      return;
    }
    session.note(`${report(target, 'Created', session.read(resource.view, response))}\n\n`);
    const view = printItem(target, session, response);
    if (next) session.note(`\n${asCalled(next(view), session.context)}\n`);
  });
};

/** The command of the next step, on a line of its own, as this one was called: `npx rollgate …`. */
const asCalled = (text: string, { env, cwd }: CliContext): string => {
  const command = programHint({ env, cwd, program: process.argv[1] });
  return text.replaceAll(/^( +)rollgate /gm, (_line, indent: string) => `${indent}${command} `);
};

const addList = (target: Target, verb: ListVerb): void => {
  const { resource } = target;
  const { paging = OFFSET_PAGING, filters = [] } = verb;
  const options = [...filters, ...paging.options];
  const access = verb.access ?? resource.readAccess;
  const summary = `list ${resource.plural}`;
  const description = `List the ${resource.plural} of a tenant, oldest first.`;
  const { follow, isDefault = false } = verb;
  const flags = { isFollowed: follow !== undefined, isDefault };
  const form = { name: 'list', verb, summary, description, access, options, ...flags };
  addVerb(target, form, async ({ session, path, fields, isFollowed }) => {
    if (follow && isFollowed) {
      await follow(session, fields);
      return;
    }
    const response = await session.client.request('GET', path, { query: fields });
    const { items, id, plural } = resource;
    const page = session.read(z.looseObject({ [items]: z.array(resource.view) }), response);
    const views = page[items] as readonly unknown[];
    session.print({
      people: () => listTable(resource, views, session),
      json: response.text,
      quiet: () => views.map(id).join('\n'),
    });
    const rest = paging.describe(page, views.length, plural);
    if (rest !== undefined) session.note(views.length > 0 ? `\n${rest}\n` : `${rest}\n`);
    else if (views.length === 0) session.note(describeEmpty(resource, session, filters, fields));
  });
};

const listTable = (
  { fields }: Resource<unknown>,
  views: readonly unknown[],
  { context, access, paint }: Session,
): string => {
  if (views.length === 0) return '';
  const shown = { now: context.now(), access };
  const columns = fields
    .filter(({ only }) => only !== 'show')
    .map((field) => ({
      ...field,
      title: field.label.toUpperCase(),
      cell: (view: unknown) => textOf(field, view, shown),
    }));
  return renderTable(columns, views, paint);
};

const describeEmpty = (
  { name, plural, create, list, parent }: Resource<unknown>,
  { tenant }: Session,
  filters: readonly FieldOption[],
  fields: Readonly<Record<string, unknown>>,
): string => {
  if (filters.some(({ field }) => field in fields)) return `No matching ${plural}.\n`;
  const place = tenant === undefined || parent ? '' : ` in ${tenant}`;
  const whenEmpty = tenant === undefined ? undefined : list?.whenEmpty?.(tenant);
  const hint = create ? `Create one with "rollgate ${name} create".` : whenEmpty;
  return `No ${plural}${place}.${hint === undefined ? '' : ` ${hint}`}\n`;
};

const addShow = (target: Target, verb: ShowVerb<unknown>): void => {
  const { resource } = target;
  const access = verb.access ?? resource.readAccess;
  const summary = `show ${resource.noun}`;
  const form = { name: 'show', verb, summary, access, isOnItem: true };
  const { locate, itemHelp } = verb;
  // Its own way finds more: the hints for the usual one would mislead.
  const { item } = resource;
  const shown = {
    ...target,
    resource: {
      ...resource,
      ...(locate && { locate, hintFor: () => undefined }),
      ...(item && itemHelp !== undefined && { item: { ...item, help: itemHelp } }),
    },
  };
  addVerb(shown, form, async (call) => {
    const { session } = call;
    const { response, view } = await readItem(shown, call);
    const isOperator = session.access.credential === 'admin token';
    const more = isOperator ? await verb.more?.(view, session) : undefined;
    printItem(target, session, response, more);
  });
};

const addUpdate = (target: Target, verb: UpdateVerb): void => {
  const { resource } = target;
  const { options } = verb;
  const access = verb.access ?? resource.writeAccess ?? resource.readAccess;
  const summary = `update ${resource.noun}`;
  const form = { name: 'update', verb, summary, access, options, isOnItem: true };
  addVerb(target, form, async ({ session, path, wanted, fields }) => {
    if (Object.keys(fields).length === 0)
      usageError(
        'Nothing to update; pass at least one option.',
        `Run "rollgate ${resource.name} update --help" for usage.`,
      );
    const { id } = await locateItem(session, resource, path, wanted);
    const response = await session.client.request('PATCH', `${path}/${id}`, { body: fields });
    session.note(`${report(target, 'Updated', session.read(resource.view, response))}\n\n`);
    printItem(target, session, response);
  });
};

const addDelete = (target: Target, verb: DeleteVerb<unknown>): void => {
  const { resource, context } = target;
  const { name = 'delete', done = 'Deleted', warning } = verb;
  const access = verb.access ?? resource.writeAccess ?? resource.readAccess;
  const summary = `delete ${resource.noun}`;
  const form = { name, verb, summary, access, isOnItem: true, isConfirmed: true };
  addVerb(target, form, async (call) => {
    const { session, yes } = call;
    const { path, view } = await readItem(target, call);
    const shown = { now: context.now(), access: session.access };
    const word = resource.label(view);
    await confirm({ warning: warning(view, shown, session.tenant ?? ''), word, yes }, context);
    await session.client.request('DELETE', path);
    session.note(`${report(target, done, view)}\n`);
  });
};

const addAction = (target: Target, action: Action<unknown>): void => {
  const { resource } = target;
  const { name, access, arguments: args, options } = action;
  const { summary } = action;
  const form = { name, verb: action, summary, access, arguments: args, options, isOnItem: true };
  addVerb(target, form, async (call) => {
    const { session, path, wanted, fields, args: further } = call;
    const { id, response } = await locateItem(session, resource, path, wanted);
    const item = async () =>
      session.read(
        resource.view,
        response ?? (await session.client.request('GET', `${path}/${id}`)),
      );
    await action.run({ session, path: `${path}/${id}`, id, item, fields, args: further });
  });
};

const addCollectionAction = (target: Target, action: CollectionAction): void => {
  const { name, summary, access, arguments: args, options } = action;
  const form = { name, verb: action, summary, access, arguments: args, options };
  addVerb(target, form, ({ session, path, fields, args: further }) =>
    action.run({ session, path, fields, args: further }),
  );
};
