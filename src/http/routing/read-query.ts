import { raise } from '../../domain/kernel/refusals.js';
import { detailAt, invalidRequest } from './validate.js';

export type Query = Readonly<Record<string, string>>;

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Refuses a query parameter. */
export const refuseParameter = (name: string, message: string): never => {
  throw invalidRequest('query', [
    detailAt([name], message, `contains a parameter that ${message}`),
  ]);
};

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return raise('INVALID_REQUEST', 'The query contains percent-encoding that is not UTF-8.');
  }
};

const pairOf = (part: string): readonly [name: string, value: string] => {
  const at = part.indexOf('=');
  return at < 0 ? [decode(part), ''] : [decode(part.slice(0, at)), decode(part.slice(at + 1))];
};

/**
 * The query as names and values: no brackets, no duplicates. Express's parsers would read
 * `?limit[$gt]=1` as an object, and combine or replace duplicates.
 */
export const readQuery = (url: string): Query => {
  const at = url.indexOf('?');
  const values = new Map<string, string>();
  if (at < 0) return {};
  for (const part of url.slice(at + 1).split('&')) {
    if (part === '') continue;
    const [name, value] = pairOf(part);
    if (values.has(name)) refuseParameter(name, 'appears more than once');
    if (CONTROL.test(value)) refuseParameter(name, 'contains a control character');
    values.set(name, value);
  }
  return Object.fromEntries(values);
};
