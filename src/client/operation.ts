import type { components, paths } from './generated/openapi.js';

/** Types of the operations of the OpenAPI document. */

export type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths that have this method. */
export type PathsWith<V extends Verb> = {
  [P in keyof paths]: paths[P] extends Readonly<Record<V, object>> ? P : never;
}[keyof paths];

type Operation<P extends keyof paths, V extends Verb> = paths[P][V];

type ParametersOf<O, In extends 'path' | 'query'> = O extends {
  readonly parameters: Readonly<Record<In, infer Given>>;
}
  ? Given
  : O extends { readonly parameters: Readonly<Partial<Record<In, infer Given>>> }
    ? Given | undefined
    : never;

type BodyOf<O> = O extends { readonly requestBody: { readonly content: infer Content } }
  ? Content[keyof Content]
  : O extends { readonly requestBody?: { readonly content: infer Content } }
    ? Content[keyof Content] | undefined
    : never;

/** A property that is required if it cannot be undefined, and absent if there is no such thing. */
type Property<Name extends string, Value> = [Exclude<Value, undefined>] extends [never]
  ? unknown
  : undefined extends Value
    ? { readonly [N in Name]?: Exclude<Value, undefined> }
    : { readonly [N in Name]: Value };

interface CommonOptions {
  /** Adds headers, or replaces those of the client. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

interface WriteOptions extends CommonOptions {
  /** The weak ETag of the version to be changed; otherwise 412 `PRECONDITION_FAILED`. */
  readonly ifMatch?: string;
}

interface PostOptions extends CommonOptions {
  /**
   * A retry with the same value returns the first response. Default for operations that accept it:
   * a random one for each call.
   */
  readonly idempotencyKey?: string;
}

type OptionsOf<V extends Verb> = V extends 'get'
  ? CommonOptions
  : V extends 'post'
    ? PostOptions
    : WriteOptions;

/** What a call of the operation takes. */
export type CallOptions<P extends keyof paths, V extends Verb> = OptionsOf<V> &
  Property<'path', ParametersOf<Operation<P, V>, 'path'>> &
  Property<'query', ParametersOf<Operation<P, V>, 'query'>> &
  Property<'body', BodyOf<Operation<P, V>>>;

/** Optional if nothing in it is required. */
export type CallArguments<P extends keyof paths, V extends Verb> =
  Partial<CallOptions<P, V>> extends CallOptions<P, V>
    ? readonly [options?: CallOptions<P, V>]
    : readonly [options: CallOptions<P, V>];

type ContentOf<R> = R extends { readonly content: infer Content }
  ? Content[keyof Content]
  : undefined;

/** The body of a 2xx response; undefined for 204. */
export type ResultOf<P extends keyof paths, V extends Verb> =
  Operation<P, V> extends { readonly responses: infer Responses }
    ? {
        [Status in keyof Responses & (200 | 201 | 202 | 204)]: ContentOf<Responses[Status]>;
      }[keyof Responses & (200 | 201 | 202 | 204)]
    : never;

type PropertyWithArray<T> = {
  [K in keyof T]-?: NonNullable<T[K]> extends readonly unknown[]
    ? K extends 'schemas'
      ? never
      : K
    : never;
}[keyof T];

/** An item of a list: of the one array in its page. */
export type ItemOf<Page> =
  NonNullable<Page[PropertyWithArray<Page>]> extends readonly (infer Item)[] ? Item : never;

/** The GET operations that return lists. */
export type ListPath = {
  [P in PathsWith<'get'>]: [ItemOf<ResultOf<P, 'get'>>] extends [never] ? never : P;
}[PathsWith<'get'>];

export type DryRun = components['schemas']['DryRun'];
