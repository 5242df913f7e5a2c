import { type JsonValue, isJsonObject, type JsonObject } from '../../../domain/kernel/json.js';
import { EXAMPLE_ID, refNameOf, statedExample } from '../../openapi/example-of.js';
import type { Operation } from '../../openapi/operation.js';

/** Markup; strings are escaped by `html`. */
export interface Html {
  readonly html: string;
}

type Part = string | number | Html | readonly Html[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

const isList = (part: Part): part is readonly Html[] => Array.isArray(part);

const render = (part: Part): string => {
  if (isList(part)) return join(part, '\n').html;
  return typeof part === 'object' ? part.html : escape(String(part));
};

/** Template tag that escapes its values, unless they are markup. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: texts.map((text, at) => text + (at < parts.length ? render(parts[at] ?? '') : '')).join(''),
});

export const EMPTY: Html = { html: '' };

export const join = (parts: readonly Html[], separator: string): Html => ({
  html: parts.map((part) => part.html).join(separator),
});

/** Text with the Markdown that descriptions use: `code` and **bold**. */
export const inline = (text: string): Html => ({
  html: escape(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>'),
});

export const paragraphs = (text: string): readonly Html[] =>
  text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`);

/** A string as it is, any other value as JSON, undefined as an empty string. */
export const textOf = (value: JsonValue | undefined): string => {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

export const codeBlock = (text: string): Html => html`<pre tabindex="0"><code>${text}</code></pre>`;

/** Path parameters for which the examples use a name; all others are ids. */
const VARIABLES: Readonly<Record<string, string>> = { tenantSlug: 'acme', slug: 'acme' };

/** Quotes an argument for a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The curl command for an operation. */
export const curlOf = (
  url: string,
  method: string,
  { security }: Operation,
  body: JsonValue | undefined,
): string => {
  const target = url.replaceAll(
    /\{(\w+)\}/g,
    (_match, name: string) => VARIABLES[name] ?? EXAMPLE_ID,
  );
  const isForOperators = security.some((scheme) => 'adminToken' in scheme);
  const token = isForOperators ? '$ROLLGATE_ADMIN_TOKEN' : '$ROLLGATE_API_KEY';
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${quote(target)}`,
    `-H "Authorization: Bearer ${token}"`,
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quote(JSON.stringify(body))}`]),
  ];
  return lines.join(' \\\n  ');
};

const listOf = (value: JsonValue | undefined): readonly JsonValue[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]) : [];

const schemasIn = (value: JsonValue | undefined): readonly JsonObject[] =>
  listOf(value).filter(isJsonObject);

/** The type of a schema, linked if it is a component. */
export const renderType = (schema: JsonObject): Html => {
  const name = refNameOf(schema);
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`;
  const { type, items, format, anyOf, oneOf } = schema;
  if (isJsonObject(items)) return html`array of ${renderType(items)}`;
  const choices = [...schemasIn(anyOf), ...schemasIn(oneOf)].map(renderType);
  if (choices.length > 0) return join(choices, ' or ');
  const kind = Array.isArray(type) ? listOf(type).map(textOf).join(' or ') : textOf(type);
  return html`${format === undefined ? kind : `${kind} (${textOf(format)})`}`;
};

const LIMITS: readonly (readonly [keyword: string, label: string])[] = [
  ['default', 'default'],
  ['minimum', 'minimum'],
  ['maximum', 'maximum'],
  ['minLength', 'minimum length'],
  ['maxLength', 'maximum length'],
  ['minItems', 'minimum items'],
  ['maxItems', 'maximum items'],
];

const renderLimits = (schema: JsonObject): Html => {
  const limits = LIMITS.filter(([keyword]) => schema[keyword] !== undefined).map(
    ([keyword, label]) => `${label} ${textOf(schema[keyword])}`,
  );
  const choices = listOf(schema.enum).map(textOf).join(', ');
  const all = [...limits, ...(choices ? [`one of ${choices}`] : [])].join('; ');
  return all ? html`<small>${all}</small>` : EMPTY;
};

interface Field {
  readonly name: string;
  readonly schema: JsonObject;
  readonly required: boolean;
  readonly description: string;
}

const renderField = ({ name, schema, required, description }: Field): Html =>
  html`<tr>
    <th scope="row"><code>${name}</code>${required ? html` <em>required</em>` : EMPTY}</th>
    <td>${renderType(schema)}</td>
    <td>${inline(description)} ${renderLimits(schema)}</td>
  </tr>`;

/** A table of parameters, or of the properties of an object. */
export const renderFields = (caption: string, fields: readonly Field[]): Html =>
  fields.length === 0
    ? EMPTY
    : html`<table>
        <caption>
          ${caption}
        </caption>
        <tbody>
          ${fields.map(renderField)}
        </tbody>
      </table>`;

const fieldsOf = ({ properties, required }: JsonObject): readonly Field[] =>
  Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, schema]) =>
    isJsonObject(schema)
      ? [
          {
            name,
            schema,
            required: listOf(required).includes(name),
            description: textOf(schema.description),
          },
        ]
      : [],
  );

/** The section of a named schema. */
export const renderSchema = (name: string, schema: JsonObject): Html => {
  const example = statedExample(schema);
  const { description, anyOf, oneOf } = schema;
  return html`<article id="schema-${name}">
    <h3>${name}</h3>
    ${description === undefined ? EMPTY : html`<p>${inline(textOf(description))}</p>`}
    ${anyOf || oneOf ? html`<p>${renderType(schema)}</p>` : EMPTY}
    ${renderFields('Fields', fieldsOf(schema))}
    ${example === undefined ? EMPTY : codeBlock(JSON.stringify(example, null, 2))}
  </article>`;
};
