import type { Express } from 'express';
import request, { type Response, type Test } from 'supertest';

/** A response with a body of unknown type. */
export interface TestResponse extends Omit<Response, 'body' | 'headers'> {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** A pending request of supertest without `any` in its response. */
export interface PendingResponse extends Test {
  then<One = TestResponse, Other = never>(
    onfulfilled?: ((response: TestResponse) => One | PromiseLike<One>) | null,
    onrejected?: ((reason: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<One | Other>;
}

export type Verb =
  'get' | 'head' | 'post' | 'put' | 'patch' | 'delete' | 'options' | 'trace' | 'propfind';

/** Sends requests to the app in this process, on a free port: `ask(app).get('/healthz')`. */
export const requestTo = (
  app: Express,
): Readonly<Record<Verb, (path: string) => PendingResponse>> => request(app);
