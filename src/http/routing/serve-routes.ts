import express, { type RequestHandler, type Router } from 'express';
import type { Method, Route } from '../../api/route.js';
import { raise } from '../../domain/refusals.js';
import { contextOf } from '../request-context.js';
import { compileRoute, type CompiledRoute, type Doors } from './compile-route.js';

type Methods = ReadonlyMap<string, CompiledRoute>;

/** `/users/{id}` in the words of express: `/users/:id`. */
const expressPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

const PARAMETER = /^\{\w+\}$/;

/** Orders paths so that a fixed step is tried before a parameter in the same place. */
const bySpecificity = (one: string, other: string): number => {
  const [ones, others] = [one.split('/'), other.split('/')];
  const at = ones.findIndex(
    (step, place) => PARAMETER.test(step) !== PARAMETER.test(others[place] ?? ''),
  );
  if (at < 0) return one.localeCompare(other);
  return PARAMETER.test(ones[at] ?? '') ? 1 : -1;
};

const groupByPath = (routes: readonly Route[]): ReadonlyMap<string, readonly Route[]> => {
  const groups = new Map<string, Route[]>();
  for (const route of routes) groups.set(route.path, [...(groups.get(route.path) ?? []), route]);
  return new Map([...groups].sort(([one], [other]) => bySpecificity(one, other)));
};

const compileAll = (routes: readonly Route[], doors: Doors): Methods => {
  const methods = new Map<Method, CompiledRoute>();
  for (const route of routes) {
    if (methods.has(route.method)) {
      throw new Error(`Duplicate route: ${route.method} ${route.path}.`);
    }
    methods.set(route.method, compileRoute(route, doors));
  }
  return methods;
};

const allowOf = (methods: Methods): string =>
  [...methods.keys()]
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .join(', ');

/** Answers every method of one path; HEAD as GET (RFC 9110, 9.3.2), an unknown one with 405. */
const servePath = (pattern: string, methods: Methods): RequestHandler => {
  const allow = allowOf(methods);
  return async (request, response) => {
    contextOf(request).route = pattern;
    const answer = methods.get(request.method === 'HEAD' ? 'GET' : request.method);
    if (answer) return answer(request, response);
    response.setHeader('Allow', allow);
    return raise('METHOD_NOT_ALLOWED', `Method not allowed. Allowed: ${allow}.`);
  };
};

/**
 * A router for a table of routes of one API. What must come first, such as authentication, is
 * mounted before it; what it does not know is left to the next step. `base` stands before the
 * paths in log and metrics. Throws at once where two routes claim the same method and path.
 */
export const serveRoutes = (base: string, routes: readonly Route[], doors: Doors): Router => {
  const router = express.Router({ caseSensitive: true, mergeParams: true });
  for (const [path, group] of groupByPath(routes)) {
    router.all(expressPath(path), servePath(base + path, compileAll(group, doors)));
  }
  return router;
};
