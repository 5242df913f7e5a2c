import { createResource, type TestGateway, type TestTenant } from './gateway.js';
import { GROUP_URN, PATCH_URN, USER_URN } from './scim-urns.js';

/** A tenant like those of customers: groups that fill rooms, roles, refusals, and hostile names. */
export interface DashboardWorld {
  readonly tenant: TestTenant;
  readonly ada: string;
  readonly grace: string;
  readonly dispatch: string;
  readonly dispatchGroup: string;
  readonly field: string;
  /** A refused command in the log. */
  readonly refusal: string;
}

/** Text that runs a script wherever it is parsed as HTML. */
export const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

const PEOPLE = [
  'Grace Hopper',
  'Alan Turing',
  'Katherine Johnson',
  'Edsger Dijkstra',
  'Barbara Liskov',
  'Donald Knuth',
  'Radia Perlman',
  'Tim Berners-Lee',
  'Margaret Hamilton',
  'John Backus',
  'Frances Allen',
  'Ken Thompson',
] as const;

const addressOf = (name: string): string =>
  `${name.toLowerCase().replaceAll(/[^a-z]+/g, '.')}@example.com`;

export const createDashboardWorld = async (
  gateway: TestGateway,
  { isHostile = true } = {},
): Promise<DashboardWorld> => {
  const operator = await gateway.operator();
  const tenant = await gateway.tenant({
    name: 'Northwind Rescue',
    seat_capacity: 25,
    default_role: 'member',
  });
  const base = `/tenants/${tenant.slug}`;
  const createUser = (displayName: string): Promise<string> =>
    createResource(tenant.scim, '/Users', {
      schemas: [USER_URN],
      userName: addressOf(displayName),
      displayName,
      externalId: `00u${displayName.length}${addressOf(displayName).slice(0, 6)}`,
      emails: [{ value: addressOf(displayName), primary: true }],
    });
  const createRoom = (name: string): Promise<string> =>
    createResource(operator, `${base}/rooms`, { name });
  const createGroup = (displayName: string, members: readonly string[]): Promise<string> =>
    createResource(tenant.scim, '/Groups', {
      schemas: [GROUP_URN],
      displayName,
      members: members.map((value) => ({ value })),
    });
  const ada = await createUser('Ada Lovelace');
  const others: string[] = [];
  for (const name of PEOPLE) others.push(await createUser(name));
  const dispatch = await createRoom('Dispatch');
  const field = await createRoom('Field teams');
  await createRoom('Harbour');
  for (const [group_display_name, role, priority] of [
    ['Dispatch', 'dispatcher', 10],
    ['Shift leads', 'supervisor', 20],
    ['Auditors', 'observer', 30],
  ] as const)
    await operator('POST', `${base}/role-mappings`, { group_display_name, role, priority });
  const dispatchGroup = await createGroup('Dispatch', others.slice(0, 6));
  await createGroup('Field teams', [ada, ...others.slice(4)]);
  await createGroup('Shift leads', [ada, ...others.slice(0, 2)]);
  // Refused: the name is taken; no user has this id.
  await tenant.scim('POST', '/Users', {
    schemas: [USER_URN],
    userName: 'ada.lovelace@example.com',
  });
  await tenant.scim('PATCH', `/Users/${others[11] ?? ''}`, {
    schemas: [PATCH_URN],
    Operations: [{ op: 'replace', path: 'active', value: false }],
  });
  if (isHostile) {
    await createUser(HOSTILE);
    await createRoom(HOSTILE);
  }
  const refused = await operator<{ commands: readonly { id: string }[] }>(
    'GET',
    `${base}/commands?outcome=refused&limit=1`,
  );
  const refusal = refused.body.commands[0]?.id ?? '';
  return { refusal, tenant, ada, grace: others[0] ?? '', dispatch, dispatchGroup, field };
};
