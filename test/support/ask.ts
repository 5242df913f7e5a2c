import type { Express } from 'express';
import request, { type Response, type Test } from 'supertest';

/** What came back. The body is unknown until a test says what it takes it for. */
export interface Answer extends Omit<Response, 'body' | 'headers'> {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** A request on its way: supertest's, but for the `any` that its answers are made of. */
export interface Asked extends Test {
  then<One = Answer, Other = never>(
    onfulfilled?: ((answer: Answer) => One | PromiseLike<One>) | null,
    onrejected?: ((reason: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<One | Other>;
}

export type Verb =
  'get' | 'head' | 'post' | 'put' | 'patch' | 'delete' | 'options' | 'trace' | 'propfind';

/** `ask(app).get('/healthz')`: in process, on a port of its own. */
export const ask = (app: Express): Readonly<Record<Verb, (path: string) => Asked>> => request(app);
