import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { inspect } from 'node:util';
import { ConfigError } from './config-error.js';
import { whyUnreadable } from './why-unreadable.js';

/** How a secret stands in the configuration: itself, or better where it is to be found. */
export type SecretSource = string | { readonly env: string } | { readonly file: string };

export interface SecretContext {
  readonly env: NodeJS.ProcessEnv;
  /** What relative paths start from. */
  readonly cwd: string;
  /** For errors: where the setting stands, and which it is. */
  readonly place: string;
  readonly key: string;
}

/**
 * A setting that must not be shown. It is read when it is needed, and however it gets into a log
 * or a dump it only says where it comes from.
 */
export class Secret {
  readonly #source: SecretSource;
  readonly #context: SecretContext;

  constructor(source: SecretSource, context: SecretContext) {
    this.#source = source;
    this.#context = context;
  }

  /** The secret itself; throws a ConfigError where it cannot be found. */
  reveal(): string {
    const source = this.#source;
    if (typeof source === 'string') return source;
    return 'env' in source ? this.#fromEnvironment(source.env) : this.#fromFile(source.file);
  }

  /** What to throw where the secret is there, but is not what is wanted. */
  fault(message: string): ConfigError {
    return new ConfigError([{ place: this.#context.place, key: this.#context.key, message }]);
  }

  toString(): string {
    const source = this.#source;
    if (typeof source === 'string') return '(hidden)';
    return 'env' in source ? `(from environment variable ${source.env})` : `(from ${source.file})`;
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return this.toString();
  }

  #fromEnvironment(name: string): string {
    const value = this.#context.env[name];
    if (value) return value;
    throw this.fault(`the environment variable ${name} that it refers to is not set`);
  }

  #fromFile(path: string): string {
    const value = this.#read(path).trim();
    if (value !== '') return value;
    throw this.fault(`the file ${path} that it refers to is empty`);
  }

  #read(path: string): string {
    try {
      return readFileSync(resolve(this.#context.cwd, path), 'utf8');
    } catch (error) {
      throw this.fault(whyUnreadable(`the file ${path} that it refers to`, error));
    }
  }
}
