import { type Command, Option } from 'commander';
import { z } from 'zod';
import { misuse } from '../command-failure.js';
import { confirm } from '../confirm.js';
import { addExamples } from '../help.js';
import { addPaging, describePage, pageQueryOf } from '../paging.js';
import { parseSeats, parseSlug, UNLIMITED } from '../parse-argument.js';
import { openSession } from '../session.js';
import { TenantPage, TenantView } from '../views.js';
import type { World } from '../world.js';
import { showTenant, tenantTable } from '../show-tenants.js';

const Settings = z.object({
  name: z.string().optional(),
  seats: z.union([z.number(), z.literal(UNLIMITED)]).optional(),
  defaultRole: z.string().optional(),
  roomProvisioning: z.string().optional(),
  defaultCountry: z.string().optional(),
  scimPutWithoutMembers: z.string().optional(),
  scimStrictErrors: z.string().optional(),
});

const pathOf = (slug: string): string => `/tenants/${slug}`;

/** The options that tell a tenant's settings, for those who make one and those who change one. */
const addSettings = (command: Command): Command =>
  command
    .option('--name <text>', 'what to call it')
    .option('--seats <number>', 'how many users may be active, or "unlimited"', parseSeats)
    .option('--default-role <role>', 'the role of users whom no role mapping gives another')
    .addOption(
      new Option(
        '--room-provisioning <how>',
        'whether a SCIM group without a room is refused or gets one made',
      ).choices(['manual', 'automatic']),
    )
    .option(
      '--default-country <code>',
      'whose phone numbers may be given without a country code, such as DE, or "none"',
    )
    .addOption(
      new Option(
        '--scim-put-without-members <how>',
        'what a SCIM PUT of a group without members does: empty the group, or keep its members',
      ).choices(['clear', 'keep']),
    )
    .addOption(
      new Option(
        '--scim-strict-errors <yes|no>',
        'whether SCIM error bodies hold the attributes of RFC 7644 only',
      ).choices(['yes', 'no']),
    );

/** The settings of SCIM that were given; undefined where none was, so that none is sent. */
const scimOf = ({ scimPutWithoutMembers, scimStrictErrors }: z.output<typeof Settings>) =>
  scimPutWithoutMembers === undefined && scimStrictErrors === undefined
    ? undefined
    : {
        put_without_members: scimPutWithoutMembers,
        strict_errors: scimStrictErrors === undefined ? undefined : scimStrictErrors === 'yes',
      };

/** The options as the API's fields; undefined ones are left out by JSON. */
const bodyOf = (command: Command) => {
  const settings = Settings.parse(command.opts());
  const { name, seats, defaultRole, roomProvisioning, defaultCountry } = settings;
  return {
    name,
    seat_capacity: seats === UNLIMITED ? null : seats,
    default_role: defaultRole,
    room_provisioning: roomProvisioning,
    default_country: defaultCountry === 'none' ? null : defaultCountry,
    scim: scimOf(settings),
  };
};

const addCreate = (tenant: Command, world: World): void => {
  const create = addSettings(tenant.command('create'))
    .summary('make a tenant')
    .description('Makes a tenant: one organisation with its own users, keys and webhooks.')
    .argument('<slug>', 'stands in every address of the tenant and never changes', parseSlug)
    .action(async (slug: string) => {
      const session = openSession(world, create);
      const body = { slug, ...bodyOf(create) };
      // Nobody has to think of a second name for a first try.
      const named = { ...body, name: body.name ?? slug };
      const answer = await session.client.request('POST', '/tenants', { body: named });
      session.note(`Tenant ${slug} is there.\n\n`);
      showTenant(session, answer);
      session.note(
        `\nNext: a key for its identity provider\n  rollgate key create ${slug} --preset idp\n`,
      );
    });
  addExamples(create, [
    ['rollgate tenant create acme --name "Acme Dispatch" --seats 50', 'with 50 seats'],
    ['rollgate tenant create acme --room-provisioning automatic', 'groups make their rooms'],
  ]);
};

const addList = (tenant: Command, world: World): void => {
  const list = addPaging(tenant.command('list'))
    .summary('list tenants')
    .description('Lists tenants, oldest first.')
    .action(async () => {
      const session = openSession(world, list);
      const query = pageQueryOf(list);
      const answer = await session.client.request('GET', '/tenants', { query });
      const page = session.read(TenantPage, answer);
      session.print({
        people: () => tenantTable(page.tenants, session),
        json: answer.text,
        quiet: () => page.tenants.map(({ slug }) => slug).join('\n'),
      });
      const rest = describePage(page, page.tenants.length, 'tenants');
      if (page.total === 0) session.note('No tenants yet. "rollgate tenant create" makes one.\n');
      if (rest !== undefined) session.note(`\n${rest}\n`);
    });
  addExamples(list, [
    ['rollgate tenant list', 'as a table'],
    ['rollgate tenant list --quiet', 'the slugs, one a line'],
    ['rollgate tenant list --json | jq .total', 'for programs'],
  ]);
};

const addShow = (tenant: Command, world: World): void => {
  const show = tenant
    .command('show')
    .summary('show a tenant and its addresses')
    .description("Shows a tenant's settings, and the addresses to give to its integrators.")
    .argument('<slug>', "the tenant's slug", parseSlug)
    .action(async (slug: string) => {
      const session = openSession(world, show);
      showTenant(session, await session.client.request('GET', pathOf(slug)));
    });
  addExamples(show, [['rollgate tenant show acme', 'settings and addresses']]);
};

const addSet = (tenant: Command, world: World): void => {
  const set = addSettings(tenant.command('set'))
    .summary("change a tenant's settings")
    .description(
      "Changes a tenant's settings; what is not named stays. A capacity below what is used " +
        'deactivates nobody: it only lets nobody in.',
    )
    .argument('<slug>', "the tenant's slug", parseSlug)
    .action(async (slug: string) => {
      const body = bodyOf(set);
      if (Object.values(body).every((value) => value === undefined))
        misuse('Nothing to set: name at least one of the options.', 'rollgate tenant set --help');
      const session = openSession(world, set);
      const answer = await session.client.request('PATCH', pathOf(slug), { body });
      session.note(`Tenant ${slug} is set.\n\n`);
      showTenant(session, answer);
    });
  addExamples(set, [
    ['rollgate tenant set acme --seats 80', 'more seats'],
    ['rollgate tenant set acme --seats unlimited', 'no limit'],
    ['rollgate tenant set acme --default-role dispatcher', 'the role of most'],
    ['rollgate tenant set acme --scim-strict-errors yes', 'for clients with strict models'],
  ]);
};

const addDelete = (tenant: Command, world: World): void => {
  const remove = tenant
    .command('delete')
    .summary('delete a tenant with everything in it')
    .description(
      'Deletes a tenant for good: its keys are dead within a second, its users, rooms and ' +
        'webhooks are purged afterwards. Asks for the slug first.',
    )
    .argument('<slug>', "the tenant's slug", parseSlug)
    .option('-y, --yes', 'do not ask')
    .action(async (slug: string) => {
      const session = openSession(world, remove);
      const { name } = session.read(TenantView, await session.client.request('GET', pathOf(slug)));
      const yes = remove.getOptionValue('yes') === true;
      const warning = `This deletes the tenant ${slug} (${name}) with its users, keys and webhooks.`;
      await confirm({ warning, word: slug, yes }, world);
      await session.client.request('DELETE', pathOf(slug));
      session.note(`Tenant ${slug} is deleted.\n`);
    });
  addExamples(remove, [
    ['rollgate tenant delete acme', 'asks first'],
    ['rollgate tenant delete acme --yes', 'for scripts'],
  ]);
};

export const addTenantCommands = (program: Command, world: World): void => {
  const tenant = program
    .command('tenant')
    .summary('make, list, show, change and delete tenants')
    .description('Tenants: the organisations that this gateway provisions for.');
  addCreate(tenant, world);
  addList(tenant, world);
  addShow(tenant, world);
  addSet(tenant, world);
  addDelete(tenant, world);
};
