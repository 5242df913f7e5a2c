import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/kernel/json.js';
import { refNameOf, statedExample } from './example.js';
import { codeBlock, EMPTY, html, type Html, inline, join, textOf } from './html.js';

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
