import express, { type RequestHandler, type Router } from 'express';
import type { Method, Route } from '../../routes/route.js';
import { refuseMethod } from '../access/request-checks.js';
import { contextOf } from '../request-context.js';
import type { PipelinePorts } from '../run-operation.js';
import { compileRoute, type CompiledRoute } from './compile-route.js';

type Methods = ReadonlyMap<string, CompiledRoute>;

/** `/users/{id}` in Express's syntax: `/users/:id`. */
const expressPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

const PARAMETER = /^\{\w+\}$/;

/** Sorts paths so that a literal segment is tried before a parameter at the same position. */
const bySpecificity = (one: string, other: string): number => {
  const [steps, otherSteps] = [one.split('/'), other.split('/')];
  const at = steps.findIndex(
    (step, index) => PARAMETER.test(step) !== PARAMETER.test(otherSteps[index] ?? ''),
  );
  if (at < 0) return one < other ? -1 : 1;
  return PARAMETER.test(steps[at] ?? '') ? 1 : -1;
};

const groupByPath = (routes: readonly Route[]): ReadonlyMap<string, readonly Route[]> => {
  const groups = new Map<string, Route[]>();
  for (const route of routes) groups.set(route.path, [...(groups.get(route.path) ?? []), route]);
  return new Map([...groups].sort(([one], [other]) => bySpecificity(one, other)));
};

const compileAll = (routes: readonly Route[], ports: PipelinePorts): Methods => {
  const methods = new Map<Method, CompiledRoute>();
  for (const route of routes) {
    if (methods.has(route.method)) {
      throw new Error(`Duplicate route: ${route.method} ${route.path}.`);
    }
    methods.set(route.method, compileRoute(route, ports));
  }
  return methods;
};

/** Serves all methods of a path: HEAD like GET (RFC 9110, 9.3.2), an unknown one with 405. */
const servePath = (pattern: string, methods: Methods): RequestHandler => {
  const allowed = [...methods.keys()].flatMap((method) =>
    method === 'GET' ? ['GET', 'HEAD'] : [method],
  );
  return async (request, response) => {
    contextOf(request).route = pattern;
    const route = methods.get(request.method === 'HEAD' ? 'GET' : request.method);
    await (route ? route(request, response) : refuseMethod(response, allowed));
  };
};

/**
 * A router for the routes of one API. Authentication is mounted before it; unknown paths go to the
 * next handler. `base` is the prefix of the paths in logs and metrics. Throws if two routes have the
 * same method and path.
 */
export const serveRoutes = (
  base: string,
  routes: readonly Route[],
  ports: PipelinePorts,
): Router => {
  const router = express.Router({ caseSensitive: true, mergeParams: true });
  for (const [path, group] of groupByPath(routes)) {
    router.all(expressPath(path), servePath(base + path, compileAll(group, ports)));
  }
  return router;
};
