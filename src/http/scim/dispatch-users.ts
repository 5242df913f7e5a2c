import type { Request, RequestHandler } from 'express';
import SCIMMYRouters from 'scimmy-routers';
import type { ScimRequest } from '../../scim/scim-request.js';
import { declareUsers } from '../../scim/user-resource.js';

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

/** The one part of the library's router that dispatches the verbs of a resource type. */
const dispatcherIn = ({ stack }: Steps): Step => {
  const [dispatcher, ...more] = stack.filter((step) => partName(step) === 'Resources');
  return dispatcher && more.length === 0
    ? dispatcher
    : changed('it has not one router for resources');
};

/**
 * The library's dispatch of verbs and paths to users, for a mount at `/Users`; and nothing else of
 * its router, for every other step of it is harmful or idle here (scimmy facts, 2 to 4): the body
 * parser that takes the last of a doubled key, the addresses kept in a static of the process (S5),
 * the authentication whose every failure is a 401, the casts that express 5 loses (S6), search,
 * bulk and discovery that parse client text, and the errors that cannot be told (S8). One serves
 * all tenants: what differs is in the request that `requestOf` gives it.
 */
export const dispatchUsers = (requestOf: (request: Request) => ScimRequest): RequestHandler => {
  declareUsers();
  const whole = new SCIMMYRouters({ type: 'bearer', handler: () => '', context: requestOf });
  const { handle } = dispatcherIn(whole);
  const { stack } = handle as unknown as Steps;
  if (partName(stack[0]) !== 'Search') changed('resources do not begin with their search');
  stack.shift();
  return handle;
};
