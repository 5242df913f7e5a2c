import { isJsonObject, type JsonObject } from '../../../domain/json.js';
import type { OpenApiDocument } from '../../openapi/document.js';
import type { Operation } from '../../openapi/operation.js';
import { curlOf } from './curl.js';
import { html, type Html, NOTHING, prose } from './html.js';
import { renderFields, renderType } from './render-schema.js';
import { sampleOf } from './sample.js';
import { textOf } from './text-of.js';

/** An operation and where in the document it stands. */
export interface Place {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

interface Parts {
  readonly document: OpenApiDocument;
  readonly publicUrl: string;
}

const jsonContentOf = (part: JsonObject | undefined): JsonObject | undefined => {
  const content = part?.content;
  const json = isJsonObject(content)
    ? (content['application/json'] ?? content['application/scim+json'])
    : undefined;
  return isJsonObject(json) ? json : undefined;
};

const schemaOf = (part: JsonObject | undefined): JsonObject | undefined => {
  const schema = jsonContentOf(part)?.schema;
  return isJsonObject(schema) ? schema : undefined;
};

/** What a reference into the document's components stands for, or the value itself. */
const resolve = (given: JsonObject, { components }: OpenApiDocument): JsonObject => {
  const { $ref } = given;
  if (typeof $ref !== 'string') return given;
  const [kind = '', name = ''] = $ref.split('/').slice(-2);
  const shared = components[kind];
  const found = isJsonObject(shared) ? shared[name] : undefined;
  return isJsonObject(found) ? found : given;
};

const renderParameters = ({ parameters = [] }: Operation, document: OpenApiDocument): Html =>
  renderFields(
    'Parameters',
    parameters
      .map((parameter) => resolve(parameter, document))
      .map(({ name, schema, required, description }) => ({
        name: textOf(name),
        schema: isJsonObject(schema) ? schema : {},
        required: required === true,
        description: textOf(description),
      })),
  );

const renderBody = ({ requestBody }: Operation): Html => {
  const schema = schemaOf(requestBody);
  return schema ? html`<p>Body: ${renderType(schema)}</p>` : NOTHING;
};

const renderCodes = (response: JsonObject): Html => {
  const examples = jsonContentOf(response)?.examples;
  if (isJsonObject(examples)) {
    return {
      html: Object.keys(examples)
        .map((code) => html`<code>${code}</code>`.html)
        .join(' '),
    };
  }
  const schema = schemaOf(response);
  return schema ? renderType(schema) : html`no body`;
};

const renderResponse = (status: string, response: JsonObject): Html =>
  html`<tr>
    <th scope="row">${status}</th>
    <td>${textOf(response.description)}</td>
    <td>${renderCodes(response)}</td>
  </tr>`;

const renderCurl = ({ path, method, operation }: Place, { document, publicUrl }: Parts): Html => {
  const schema = schemaOf(operation.requestBody);
  const body = schema && sampleOf(schema, document.components.schemas);
  return html`<pre
    tabindex="0"
  ><code>${curlOf(publicUrl + path, method, operation, body)}</code></pre>`;
};

/** The part of the page about one operation: what it does, takes and answers, and how to call it. */
export const renderOperation = (place: Place, parts: Parts): Html => {
  const { path, method, operation } = place;
  return html`<article id="${operation.operationId}">
    <h3>${operation.summary}</h3>
    <p class="address">
      <span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code>
    </p>
    ${prose(operation.description)} ${renderParameters(operation, parts.document)}
    ${renderBody(operation)} ${renderCurl(place, parts)}
    <table>
      <caption>
        Answers
      </caption>
      <tbody>
        ${Object.entries(operation.responses).map(([status, response]) =>
          renderResponse(status, resolve(response, parts.document)),
        )}
      </tbody>
    </table>
  </article>`;
};
