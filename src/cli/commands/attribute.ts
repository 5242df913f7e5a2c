import type { Command } from 'commander';
import type { ResultOf } from '../../client/index.js';
import { addCommand, confirm, YES } from '../add-command.js';
import type { CliContext } from '../cli-context.js';
import { CliError } from '../cli-error.js';
import { type FieldOption, yesNoOption } from '../field-option.js';
import type { Session } from '../session.js';
import { renderSection } from '../table.js';
import { CUSTOM_TYPES } from '../../domain/tenant/custom-attributes.js';

type Extension = ResultOf<'/admin/v1/tenants/{slug}/schema-extension', 'get'>;
type Attribute = Extension['attributes'][number];

const PATH = '/schema-extension';

const COLUMNS = [
  { title: 'NAME' },
  { title: 'TYPE' },
  { title: 'REQUIRED' },
  { title: 'VALUES', wrapAt: 32 },
  { title: 'DESCRIPTION', wrapAt: 40 },
];

const rowOf = (attribute: Attribute): readonly (string | null)[] => [
  attribute.name,
  attribute.multi_valued ? `${attribute.type} list` : attribute.type,
  attribute.required ? 'new users' : 'no',
  attribute.canonical_values?.join(', ') ?? null,
  attribute.description || null,
];

const OPTIONS: readonly FieldOption[] = [
  {
    flags: '--type <type>',
    help: `${CUSTOM_TYPES.join(', ')} (default: string)`,
    choices: CUSTOM_TYPES,
  },
  yesNoOption('--list', 'multi_valued', 'whether users can have several values (default: no)'),
  yesNoOption('--required', 'required', 'whether new users must have a value (default: no)'),
  yesNoOption(
    '--case-exact',
    'case_exact',
    'whether filters distinguish upper and lower case (default: no; of references: yes)',
  ),
  {
    flags: '--values <values>',
    field: 'canonical_values',
    help: 'the only values that are accepted, separated by commas; or "none": no restriction (default)',
    parse: (text) => text.split(',').map((value) => value.trim()),
    nullable: true,
  },
  { flags: '--description <text>', help: 'shown in /Schemas and the dashboard' },
];

const isNamed =
  (name: string) =>
  (attribute: Pick<Attribute, 'name'>): boolean =>
    attribute.name.toLowerCase() === name.toLowerCase();

/** With its version, so that a change that another administrator makes meanwhile is not lost. */
const readExtension = async ({ call, tenant: slug = '' }: Session) => {
  const path = { slug };
  const read = await call((api) =>
    api.request('get', '/admin/v1/tenants/{slug}/schema-extension', { path }),
  );
  return { ...read.data, headers: { 'if-match': read.etag ?? '*' } };
};

type Read = Pick<Awaited<ReturnType<typeof readExtension>>, 'headers'>;

const write = async (
  { client }: Session,
  { headers }: Read,
  attributes: readonly object[],
): Promise<string> => {
  const { text } = await client.request('PUT', PATH, { body: { attributes }, headers });
  return text;
};

const addList = (group: Command, context: CliContext): void => {
  addCommand(
    group,
    context,
    {
      name: 'list',
      summary: 'list the attributes that a tenant declares',
      description: 'List the attributes that a tenant declares, and their URN.',
      examples: [['rollgate attribute list acme', 'with their types']],
    },
    async ({ session }) => {
      const { urn, attributes } = await readExtension(session);
      session.print({
        people: () =>
          attributes.length === 0
            ? 'No attributes.\n'
            : `${renderSection({ columns: COLUMNS, rows: attributes.map(rowOf) }, session.paint)}\n${urn}\n`,
        json: JSON.stringify({ urn, attributes }),
        quiet: () => attributes.map(({ name }) => name).join('\n'),
      });
    },
  );
};

const addSet = (group: Command, context: CliContext): void => {
  addCommand(
    group,
    context,
    {
      name: 'set',
      aliases: ['create', 'update'],
      summary: 'declare an attribute, or change its declaration',
      description:
        'Declare an attribute, or change its declaration; what is not given stays unchanged. After a ' +
        "change of type, values of the old type are hidden, and deleted with the user's next change.",
      canDryRun: true,
      arguments: [{ name: '<attribute>', help: 'its name, such as costCenter' }],
      options: OPTIONS,
      examples: [
        ['rollgate attribute set acme costCenter', 'a text'],
        ['rollgate attribute set acme level --type integer --required yes', 'for new users'],
        ['rollgate attribute set acme region --values "North,South"', 'one of two texts'],
      ],
    },
    async ({ session, args: [name = ''], fields }) => {
      const read = await readExtension(session);
      const { attributes } = read;
      const known = attributes.some(isNamed(name));
      const after = known
        ? attributes.map((each) => (isNamed(name)(each) ? { ...each, ...fields } : each))
        : [...attributes, { name, ...fields }];
      const json = await write(session, read, after);
      session.note(`${known ? 'Updated' : 'Created'} attribute ${name}.\n`);
      session.print({ people: () => '', json, quiet: () => name });
    },
  );
};

const addDelete = (group: Command, context: CliContext): void => {
  addCommand(
    group,
    context,
    {
      name: 'delete',
      summary: 'delete an attribute',
      description:
        "Delete an attribute. Its values are hidden at once, and deleted with the user's next change. " +
        'Asks for confirmation.',
      canDryRun: true,
      flags: [YES],
      arguments: [{ name: '<attribute>', help: 'its name' }],
      examples: [['rollgate attribute delete acme costCenter', 'asks for confirmation']],
    },
    async ({ session, args: [name = ''], has }) => {
      const read = await readExtension(session);
      const { attributes } = read;
      const left = attributes.filter((each) => !isNamed(name)(each));
      if (left.length === attributes.length)
        throw new CliError('NOT_FOUND', `No attribute is named "${name}".`, [
          `List them: rollgate attribute list ${session.tenant}`,
        ]);
      if (!session.isDryRun)
        await confirm(
          {
            warning: `This deletes the values of ${name} of all users.`,
            word: name,
            yes: has('yes'),
          },
          context,
        );
      const json = await write(session, read, left);
      session.note(`Deleted attribute ${name}.\n`);
      session.print({ people: () => '', json, quiet: () => name });
    },
  );
};

/** `rollgate attribute`: the attributes of users that a tenant adds to SCIM's. */
export const addAttributeCommands = (program: Command, context: CliContext): void => {
  const group = program
    .command('attribute')
    .summary('manage the user attributes of a tenant')
    .description(
      'Attributes: fields that the users of a tenant have beyond those of SCIM, such as a cost centre. ' +
        'Identity providers send them under the tenant\'s URN, which "list" shows; REST and events have ' +
        'them in "custom".',
    )
    .helpCommand(false);
  addList(group, context);
  addSet(group, context);
  addDelete(group, context);
};
