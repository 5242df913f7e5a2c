import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, relative, resolve } from 'node:path';
import type * as Yaml from 'yaml';
import type { Document, Node, YAMLError } from 'yaml';
import { ConfigError, describeReadError } from './config-error.js';
import { isPlainObject, type PlainObject, type SettingPath } from './setting-path.js';

/** Seventy modules, loaded only if there is a file. */
const yaml = (): typeof Yaml => createRequire(import.meta.url)('yaml') as typeof Yaml;

/** Settings in YAML and their positions in it. */
export interface ConfigText {
  readonly settings: PlainObject;
  /** The line of the setting, or of its closest existing parent. */
  readonly lineOf: (path: SettingPath) => number;
  /** Whether the text sets it. */
  readonly has: (path: SettingPath) => boolean;
}

/** The settings of a file and their positions in it. */
export interface ConfigFile extends Omit<ConfigText, 'lineOf'> {
  /** As it was named. */
  readonly path: string;
  /** `config/rollgate.yaml:12` */
  readonly placeOf: (path: SettingPath) => string;
}

/** Throws a ConfigError if the file cannot be read, or as `parseConfigText` does. */
export const readConfigFile = (path: string, cwd: string): ConfigFile => {
  const name = displayPath(path, cwd);
  const { lineOf, ...text } = parseConfigText(readText(path, name), name);
  return { path, ...text, placeOf: (setting) => `${name}:${lineOf(setting)}` };
};

/**
 * Reads settings in YAML, with their lines. Throws a ConfigError, which has this name in its places,
 * if the text is not a YAML map or repeats a key.
 */
export const parseConfigText = (text: string, name: string): ConfigText => {
  const { LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: true,
    // Warnings are errors here; the parser must not print them to standard error.
    logLevel: 'error',
  });
  const lineAt = (offset: number): number => lines.linePos(offset).line || 1;
  const placeAt = (offset: number): string => `${name}:${lineAt(offset)}`;
  throwSyntaxErrors(document, text, placeAt);
  throwEndlessAliases(document, placeAt);
  return {
    settings: settingsOf(document, name),
    lineOf: (setting) => lineAt(offsetOf(document, setting)),
    has: (setting) => document.hasIn(setting),
  };
};

const readText = (path: string, name: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError([
      { place: name, key: '', message: describeReadError('the file', error) },
    ]);
  }
};

const throwSyntaxErrors = (
  document: Document,
  text: string,
  placeAt: (offset: number) => string,
): void => {
  const problems = [...document.errors, ...document.warnings].map((error) => ({
    place: placeAt(error.pos[0]),
    key: '',
    message: explainSyntax(error, text),
  }));
  if (problems.length > 0) throw new ConfigError(problems);
};

/** The value of an alias within the value that it repeats would never end. */
const throwEndlessAliases = (document: Document, placeAt: (offset: number) => string): void =>
  yaml().visit(document, {
    Alias: (_key, alias, path) => {
      const repeated = alias.resolve(document);
      if (!repeated || !path.includes(repeated)) return;
      const message = `the alias *${alias.source} is part of the value that it repeats`;
      throw new ConfigError([{ place: placeAt(startOf(alias)), key: '', message }]);
    },
  });

/** Replaces the parser's messages that operators would not understand. */
const explainSyntax = ({ code, message, pos }: YAMLError, text: string): string => {
  if (code === 'DUPLICATE_KEY') {
    const [key] = /^[^\s:]+/.exec(text.slice(pos[0])) ?? ['a setting'];
    return `${key} is set twice; remove one of them`;
  }
  if (code === 'MULTIPLE_DOCS') return 'expected a single YAML document';
  return (message.split('\n')[0] ?? message).replace(/ at line \d+, column \d+:?$/, '');
};

const settingsOf = (document: Document, name: string): PlainObject => {
  const settings = toPlainValue(document, name) ?? {};
  if (isPlainObject(settings)) return settings;
  const message = 'expected settings such as "port: 8080", one per line';
  throw new ConfigError([{ place: `${name}:1`, key: '', message }]);
};

/** Only this step finds an alias without an anchor, or too many aliases. */
const toPlainValue = (document: Document, name: string): unknown => {
  try {
    return document.toJS();
  } catch (error) {
    const message = error instanceof Error ? error.message : 'not valid YAML';
    throw new ConfigError([{ place: name, key: '', message }]);
  }
};

/** Follows the path as far as it exists. Uses the key's offset: its value may start on a later line. */
const offsetOf = (document: Document, path: SettingPath): number => {
  let offset = 0;
  let node: unknown = document.contents;
  for (const step of path) {
    const next = childOf(node, step);
    if (next === undefined) break;
    offset = next.offset;
    node = next.node;
  }
  return offset;
};

const childOf = (
  node: unknown,
  step: string | number,
): { readonly node: unknown; readonly offset: number } | undefined => {
  const { isMap, isScalar } = yaml();
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
    return pair && { node: pair.value, offset: startOf(pair.key as Node) };
  }
  const item = isSequence(node) ? node.items[Number(step)] : undefined;
  return item && { node: item, offset: startOf(item) };
};

const isSequence = (node: unknown): node is { readonly items: readonly Node[] } =>
  !yaml().isMap(node) && typeof node === 'object' && node !== null && 'items' in node;

const startOf = (node: Node): number => node.range?.[0] ?? 0;

const displayPath = (path: string, cwd: string): string => {
  const relativePath = relative(cwd, resolve(cwd, path));
  return relativePath.startsWith('..') || isAbsolute(relativePath) ? path : relativePath;
};
