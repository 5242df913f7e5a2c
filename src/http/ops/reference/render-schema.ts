import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/json.js';
import { html, type Html, NOTHING } from './html.js';
import { nameOf } from './sample.js';
import { textOf } from './text-of.js';

const listOf = (value: JsonValue | undefined): readonly JsonValue[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]) : [];

const schemasIn = (value: JsonValue | undefined): readonly JsonObject[] =>
  listOf(value).filter(isJsonObject);

/** A schema's type in a word or two, with a link where it has a place of its own. */
export const renderType = (schema: JsonObject): Html => {
  const name = nameOf(schema);
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`;
  const { type, items, format, anyOf } = schema;
  if (isJsonObject(items)) return html`list of ${renderType(items)}`;
  const choices = schemasIn(anyOf).map(renderType);
  if (choices.length > 0) return { html: choices.map((choice) => choice.html).join(' or ') };
  const kind = Array.isArray(type) ? listOf(type).map(textOf).join(' or ') : textOf(type);
  return html`${format === undefined ? kind : `${kind} (${textOf(format)})`}`;
};

const LIMITS: readonly (readonly [string, string])[] = [
  ['default', 'default'],
  ['minimum', 'from'],
  ['maximum', 'to'],
  ['minLength', 'characters from'],
  ['maxLength', 'characters to'],
  ['minItems', 'entries from'],
  ['maxItems', 'entries to'],
];

const renderLimits = (schema: JsonObject): Html => {
  const limits = LIMITS.filter(([key]) => schema[key] !== undefined).map(
    ([key, word]) => `${word} ${textOf(schema[key])}`,
  );
  const choices = listOf(schema.enum).map(textOf).join(', ');
  const all = [...limits, ...(choices ? [`one of ${choices}`] : [])].join('; ');
  return all ? html`<small>${all}</small>` : NOTHING;
};

interface Field {
  readonly name: string;
  readonly schema: JsonObject;
  readonly required: boolean;
  readonly description: string;
}

const renderField = ({ name, schema, required, description }: Field): Html =>
  html`<tr>
    <th scope="row"><code>${name}</code>${required ? html` <em>required</em>` : NOTHING}</th>
    <td>${renderType(schema)}</td>
    <td>${description} ${renderLimits(schema)}</td>
  </tr>`;

/** A table of named values: parameters or the properties of an object. */
export const renderFields = (caption: string, fields: readonly Field[]): Html =>
  fields.length === 0
    ? NOTHING
    : html`<table>
        <caption>
          ${caption}
        </caption>
        <tbody>
          ${fields.map(renderField)}
        </tbody>
      </table>`;

/** The part of the page about one named schema. */
export const renderSchema = (name: string, schema: JsonObject): Html => {
  const required = new Set(listOf(schema.required));
  const fields = Object.entries(isJsonObject(schema.properties) ? schema.properties : {}).flatMap(
    ([field, property]) =>
      isJsonObject(property)
        ? [
            {
              name: field,
              schema: property,
              required: required.has(field),
              description: textOf(property.description),
            },
          ]
        : [],
  );
  return html`<article id="schema-${name}">
    <h3>${name}</h3>
    ${schema.description === undefined ? NOTHING : html`<p>${textOf(schema.description)}</p>`}
    ${renderFields('Fields', fields)}
  </article>`;
};
