import type { Express } from 'express';
import request, { type Response, type Test } from 'supertest';

/** A response with a body of unknown type. */
export interface Answer extends Omit<Response, 'body' | 'headers'> {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** A pending request of supertest without `any` in its response. */
export interface Asked extends Test {
  then<One = Answer, Other = never>(
    onfulfilled?: ((answer: Answer) => One | PromiseLike<One>) | null,
    onrejected?: ((reason: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<One | Other>;
}

export type Verb =
  'get' | 'head' | 'post' | 'put' | 'patch' | 'delete' | 'options' | 'trace' | 'propfind';

/** Sends requests to the app in this process, on a free port: `ask(app).get('/healthz')`. */
export const ask = (app: Express): Readonly<Record<Verb, (path: string) => Asked>> => request(app);
