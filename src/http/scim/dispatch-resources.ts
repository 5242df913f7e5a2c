import type { Request, RequestHandler } from 'express';
import SCIMMYRouters from 'scimmy-routers';
import type { ScimRequest } from '../../scim/scim-request.js';
import { declareGroups } from '../../scim/group-resource.js';
import { GROUP } from '../../scim/group-schema.js';
import { declareUsers } from '../../scim/user-resource.js';
import { USER } from '../../scim/user-schema.js';

/** What of an express router is touched here: its steps, in order. */
interface Steps {
  readonly stack: { readonly handle: RequestHandler }[];
}

type Step = Steps['stack'][number];

/** The library's routers are functions of a class each. */
const partName = (step: Step | undefined): string =>
  (Object.getPrototypeOf(step?.handle ?? {}) as { readonly constructor: { readonly name: string } })
    .constructor.name;

const changed = (what: string): never => {
  throw new Error(`scimmy-routers has changed: ${what}. Read it before you go on.`);
};

/** Its parts that dispatch the verbs of a resource type, in the order of their declaration. */
const dispatchersIn = ({ stack }: Steps): readonly Step[] =>
  stack.filter((step) => partName(step) === 'Resources');

/** The dispatch of one type, without its search, which would parse what clients write (S1 to S3). */
const withoutSearch = (dispatcher: Step): RequestHandler => {
  const { stack } = dispatcher.handle as unknown as Steps;
  if (partName(stack[0]) !== 'Search') changed('resources do not begin with their search');
  stack.shift();
  return dispatcher.handle;
};

/** What answers at the address of a resource type. */
export interface Dispatch {
  readonly endpoint: string;
  readonly dispatch: RequestHandler;
}

/**
 * The library's dispatch of verbs and paths to users and groups, for mounts at their addresses; and
 * nothing else of its router, for every other step of it is harmful or idle here (scimmy facts, 2 to
 * 4): the body parser that takes the last of a doubled key, the addresses kept in a static of the
 * process (S5), the authentication whose every failure is a 401, the casts that express 5 loses (S6),
 * search, bulk and discovery that parse client text, and the errors that cannot be told (S8). One
 * serves all tenants: what differs is in the request that `requestOf` gives it.
 */
export const dispatchResources = (
  requestOf: (request: Request) => ScimRequest,
): readonly Dispatch[] => {
  declareUsers();
  declareGroups();
  const whole = new SCIMMYRouters({ type: 'bearer', handler: () => '', context: requestOf });
  const [users, groups, ...more] = dispatchersIn(whole);
  if (!users || !groups || more.length > 0) {
    return changed('it has not one router for each of the two types');
  }
  return [
    { endpoint: USER.endpoint, dispatch: withoutSearch(users) },
    { endpoint: GROUP.endpoint, dispatch: withoutSearch(groups) },
  ];
};
