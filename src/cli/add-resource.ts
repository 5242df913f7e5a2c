import type { Command } from 'commander';
import { z } from 'zod';
import type { CliResult } from '../start/load-extensions.js';
import { addCommand, type CommandCall, type CommandForm, confirm, YES } from './add-command.js';
import type { CliContext } from './cli-context.js';
import { SilentExit, usageError } from './cli-error.js';
import { type Complete, completeItems, setDefaultCommand } from './completions.js';
import { fieldOf, type FieldOption } from './field-option.js';
import { formatTime } from './format-time.js';
import { type Locatable, locateItem, withoutArticle } from './locate.js';
import { openPage } from './open-page.js';
import { describePart, pagingOptions, readList } from './paging.js';
import type {
  Action,
  ActionCall,
  CreateVerb,
  DeleteVerb,
  Field,
  ListVerb,
  MoreOfItem,
  Resource,
  ShowVerb,
  UpdateVerb,
  Verb,
  ViewContext,
} from './resource.js';
import { type Session, unknownBody } from './session.js';
import type { GatewayResponse } from './gateway-access.js';
import { renderFields, renderSection, renderTable } from './table.js';
import { orDash, printable, printableLines } from './terminal-text.js';

interface Target {
  readonly group: Command;
  readonly context: CliContext;
  readonly resource: Resource<unknown>;
  /** The resource that it is nested in. */
  readonly parent: Resource<unknown> | undefined;
}

/** Adds a command with the verbs of each resource, in the same order and form for all of them. */
export const addResources = (
  program: Command,
  context: CliContext,
  resources: readonly Resource<unknown>[],
): void => {
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  for (const resource of byName.values()) {
    const { name, summary, description, parent } = resource;
    const [word = '', outer] = name.split(' ').reverse();
    const around = program.commands.find((command) => command.name() === outer) ?? program;
    const group = around.command(word).summary(summary).description(description);
    group.helpCommand(false);
    const target = { group, context, resource, parent: byName.get(parent ?? '') };
    if (resource.create) addCreate(target, resource.create);
    if (resource.list) addList(target, resource.list);
    if (resource.show) addShow(target, resource.show);
    if (resource.update) addUpdate(target, resource.update);
    const { actions = [] } = resource;
    for (const action of actions.filter(isVerb)) addAction(target, action);
    if (resource.delete) addDelete(target, resource.delete);
    for (const action of actions.filter((one) => !isVerb(one))) addAction(target, action);
  }
};

/** Of members: users who may not be members yet are added and updated in another way. */
const isVerb = ({ name }: Action<unknown>): boolean => name === 'add' || name === 'update';

// ── The form of a command ────────────────────────────────────────────────────────────────────────

/** `summary` and `description` are used unless the verb has its own. */
interface Form extends Omit<
  CommandForm,
  'access' | 'perTenant' | 'examples' | 'sections' | 'aliases'
> {
  readonly verb: Verb & Pick<ListVerb, 'isOfAllParents'>;
  readonly isOnItem?: boolean;
  /** It needs the access of writes, and can be a dry run. */
  readonly isWrite?: boolean;
}

/** One run of a command. */
interface Call extends CommandCall {
  /** Of the collection. */
  readonly path: string;
  /** What the operator typed to name the item. */
  readonly wanted: string;
}

const addVerb = (
  target: Target,
  { verb, isOnItem = false, isWrite = false, arguments: further = [], ...form }: Form,
  run: (call: Call) => Promise<void>,
): Command => {
  const { group, context, resource, parent } = target;
  const { readAccess, writeAccess = readAccess } = resource;
  const owner = parent?.item && {
    ...parent.item,
    name: verb.isOfAllParents ? parent.item.name.replace(/<(.*)>/, '[$1]') : parent.item.name,
    complete: completeItems(context, parent),
  };
  const item = isOnItem && resource.item && { ...resource.item, complete: itemCompleter(target) };
  return addCommand(
    group,
    context,
    {
      ...{ ...form, ...verb, summary: verb.summary ?? form.summary },
      access: verb.access ?? (isWrite ? writeAccess : readAccess),
      canDryRun: (isWrite || form.canDryRun === true) && resource.hasNoDryRun !== true,
      perTenant: resource.perTenant,
      arguments: [...(owner ? [owner] : []), ...(item ? [item] : []), ...further],
    },
    async (call) => {
      const args = [...call.args];
      const outer = parent && args.shift();
      const nesting = parent && outer ? await itemPath(call.session, parent, outer) : '';
      const wanted = isOnItem ? (args.shift() ?? '') : '';
      await run({ ...call, args, wanted, path: `${nesting}${resource.path}` });
    },
  );
};

/** Names of items are completed with those that the gateway has. */
const itemCompleter = ({ context, resource, parent }: Target): Complete => {
  if (resource.candidates) return completeItems(context, resource.candidates);
  if (!parent) return completeItems(context, resource);
  const at = resource.perTenant === false ? 0 : 1;
  return completeItems(context, resource, (session, operands) =>
    itemPath(session, parent, operands[at] ?? ''),
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
  if ('text' in field) return orDash(field.text(view, context));
  const time = field.time(view);
  return time === null ? '-' : formatTime(time, context.now);
};

interface PrintedItem {
  readonly more?: MoreOfItem;
  readonly quiet?: (view: unknown) => string;
}

const printItem = (
  { resource }: Target,
  session: Session,
  response: GatewayResponse,
  { more, quiet = resource.id }: PrintedItem = {},
): unknown => {
  const { access, context, paint } = session;
  const { fields, details } = resource;
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
      (details?.(view) ?? []).map((section) => `\n${renderSection(section, paint)}`).join('') +
      (more?.text ?? ''),
    json: more ? withMore(response.text, more) : response.text,
    quiet: () => quiet(view),
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
  const { arguments: args = [], options = [], complete, print, next, quiet } = verb;
  const summary = `create ${resource.noun}`;
  const form = { name: 'create', verb, summary, arguments: args, options, isWrite: true };
  addVerb(target, form, async ({ session, path, fields }) => {
    const body = complete ? complete(fields) : fields;
    const response = await session.client.request('POST', path, { body });
    if (print) {
      print(session, response);
      return;
    }
    session.note(`${report(target, 'Created', session.read(resource.view, response))}\n\n`);
    const view = printItem(target, session, response, { ...(quiet && { quiet }) });
    if (next) session.note(`\n${next(view)}\n`);
  });
};

const addList = (target: Target, verb: ListVerb): void => {
  const { resource } = target;
  const { continuation = 'offset', filters = [], follow } = verb;
  const options = [...filters, ...(resource.isWhole ? [] : pagingOptions(continuation))];
  const summary = `list ${resource.plural}`;
  const description = `List the ${resource.plural} of a tenant, oldest first.`;
  const flags = follow ? [FOLLOW] : [];
  const form = { name: 'list', verb, summary, description, options, flags };
  const command = addVerb(target, form, async ({ session, path, fields, has }) => {
    if (follow && has('follow')) {
      await follow(session, fields);
      return;
    }
    const { items, id, plural } = resource;
    const part = await readList(session, { path, items, continuation, fields });
    const views = session.read(z.array(resource.view), {
      ...part.response,
      text: JSON.stringify(part.page[items]),
    });
    session.print({
      people: () => listTable(resource, views, session),
      json: part.response.text,
      quiet: () => views.map(id).join('\n'),
    });
    const rest = describePart(part, views.length, plural);
    if (rest !== undefined) session.note(views.length > 0 ? `\n${rest}\n` : `${rest}\n`);
    else if (views.length === 0) session.note(describeEmpty(resource, session, filters, fields));
  });
  if (verb.isDefault) setDefaultCommand(target.group, command);
};

const FOLLOW = ['-f, --follow', 'print new ones until you press Ctrl-C'] as const;

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
  if (filters.some((filter) => fieldOf(filter) in fields)) return `No matching ${plural}.\n`;
  const place = tenant === undefined || parent ? '' : ` in ${tenant}`;
  const whenEmpty = tenant === undefined ? undefined : list?.whenEmpty?.(tenant);
  const hint = create ? `Create one with "rollgate ${name} create".` : whenEmpty;
  return `No ${plural}${place}.${hint === undefined ? '' : ` ${hint}`}\n`;
};

const addShow = (target: Target, verb: ShowVerb<unknown>): void => {
  const { resource } = target;
  const summary = `show ${resource.noun}`;
  const { page } = resource;
  const flags = page === undefined ? [] : [WEB];
  const form = { name: 'show', verb, summary, isOnItem: true, flags };
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
    const { id, response, view } = await readItem(shown, call);
    if (page !== undefined && call.has('web')) {
      const tenant = session.tenant === undefined ? '' : `/${session.tenant}`;
      openPage(`${session.access.url}/dashboard/t${tenant}${page}/${id}`, session.context);
      return;
    }
    const isOperator = session.access.credential === 'admin token';
    const more = isOperator ? await verb.more?.(view, session) : undefined;
    printItem(target, session, response, { ...(more && { more }) });
  });
};

const WEB = ['--web', 'print the address of its page in the dashboard, and open it'] as const;

const addUpdate = (target: Target, given: UpdateVerb): void => {
  const { resource } = target;
  const { requests = onePatch } = given;
  const options = given.options.map(({ byDefault: _, ...option }) => option);
  const verb = { ...given, options };
  const summary = `update ${resource.noun}`;
  const form = { name: 'update', verb, summary, options, isOnItem: true, isWrite: true };
  addVerb(target, form, async ({ session, path, wanted, fields }) => {
    if (Object.keys(fields).length === 0)
      usageError(
        'Nothing to update; pass at least one option.',
        `Run "rollgate ${resource.name} update --help" for usage.`,
      );
    const { id } = await locateItem(session, resource, path, wanted);
    let response: GatewayResponse = { status: 204, text: '' };
    for (const { method, to = '', body } of requests(fields))
      response = await session.client.request(method, `${path}/${id}${to}`, { body });
    if (response.text === '') response = await session.client.request('GET', `${path}/${id}`);
    session.note(`${report(target, 'Updated', session.read(resource.view, response))}\n\n`);
    printItem(target, session, response);
  });
};

const onePatch: NonNullable<UpdateVerb['requests']> = (body) => [{ method: 'PATCH', body }];

const addDelete = (target: Target, verb: DeleteVerb<unknown>): void => {
  const { resource, context } = target;
  const { name = 'delete', done = 'Deleted', warning } = verb;
  const summary = `delete ${resource.noun}`;
  const form = { name, verb, summary, isOnItem: true, flags: [YES], isWrite: true };
  addVerb(target, form, async (call) => {
    const { session, has } = call;
    const { path, view } = await readItem(target, call);
    const shown = { now: context.now(), access: session.access };
    const word = printable(resource.label(view));
    const text = printable(warning(view, session.tenant ?? '', shown));
    await confirm({ warning: text, word, yes: has('yes') || session.isDryRun }, context);
    await session.client.request('DELETE', path);
    session.note(`${report(target, done, view)}\n`);
  });
};

const addAction = (target: Target, action: Action<unknown>): void => {
  const { resource } = target;
  const { html, csv } = action;
  const isOnItem = action.isOnCollection !== true;
  const form: Form = { ...action, verb: action, isOnItem, hasHtml: html !== undefined };
  addVerb(target, form, async ({ session, path: collection, wanted, fields, args: further }) => {
    const { client } = session;
    const found = isOnItem ? await locateItem(session, resource, collection, wanted) : undefined;
    const path = found ? `${collection}/${found.id}` : collection;
    let last: GatewayResponse = { status: 200, text: '' };
    const call: ActionCall<unknown> = {
      ...{ session, path, id: found?.id ?? '', fields, args: further },
      item: async () =>
        session.read(resource.view, found?.response ?? (await client.request('GET', path))),
      request: async (method, to, parts) => {
        last = await client.request(method, to, parts);
        return bodyIn(last);
      },
      report: (line) => session.note(`${printable(line)}\n`),
    };
    const { [session.format]: print } = { html, csv } as Partial<Record<string, typeof html>>;
    const run = print ? print(call) : action.run(call);
    const result = await run.catch((error: unknown) => {
      throw error instanceof z.ZodError ? unknownBody(session.access, last) : error;
    });
    if (typeof result !== 'string') printResult(session, result, last);
    else if (print) session.context.stdout.write(result);
  });
};

/** JSON is always an object here; of a file, its text. */
const bodyIn = ({ text }: GatewayResponse): unknown => {
  if (text === '') return undefined;
  return text.startsWith('{') ? JSON.parse(text) : text;
};

const printResult = (
  { paint, note, print }: Session,
  { note: above, sections, quiet, isFailure }: CliResult,
  { text: json }: GatewayResponse,
): void => {
  if (above !== undefined) note(printableLines(above));
  print({
    people: () => sections.map((section) => renderSection(section, paint)).join('\n'),
    json,
    ...(quiet && { quiet: () => quiet.join('\n') }),
  });
  if (isFailure) throw new SilentExit();
};
