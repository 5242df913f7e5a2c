import request, { type Test } from 'supertest';
import type { Scope } from '../../src/domain/scopes.js';
import type { TestApp } from '../support/edge.js';

type Verb = 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete';

export const SCIM_TYPE = 'application/scim+json';

/** A SCIM client of the app at one mount, such as an identity provider. */
export class ScimClient {
  static #users = 0;

  constructor(
    readonly fake: TestApp,
    readonly mount: string,
    readonly key: string = fake.key,
  ) {}

  /** A client with a new key that has these scopes. */
  async withScopes(...scopes: Scope[]): Promise<ScimClient> {
    const { key } = await this.fake.addKey(this.fake.tenant, scopes);
    return new ScimClient(this.fake, this.mount, key);
  }

  send(verb: Verb, path: string, body?: object): Test {
    const agent = request(this.fake.app);
    const test = agent[verb](this.mount + path).set('Authorization', `Bearer ${this.key}`);
    return body === undefined
      ? test
      : test.set('Content-Type', SCIM_TYPE).send(JSON.stringify(body));
  }

  get(path: string): Test {
    return this.send('get', path);
  }

  search(filter: string): Test {
    return this.get(`/Users?filter=${encodeURIComponent(filter)}`);
  }

  post(path: string, body: object): Test {
    return this.send('post', path, body);
  }

  put(path: string, body: object): Test {
    return this.send('put', path, body);
  }

  patch(path: string, ...Operations: object[]): Test {
    return this.send('patch', path, { Operations });
  }

  delete(path: string): Test {
    return this.send('delete', path);
  }

  /** Creates a user and returns it. */
  async create(body: object = {}): Promise<ScimUser> {
    ScimClient.#users += 1;
    const userName = `user-${ScimClient.#users}@example.com`;
    const answer = await this.post('/Users', { userName, ...body }).expect(201);
    return answer.body as ScimUser;
  }
}

export interface ScimUser {
  readonly id: string;
  readonly userName: string;
  readonly meta: { readonly location: string; readonly version: string };
  readonly [attribute: string]: unknown;
}
