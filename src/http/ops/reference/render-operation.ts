import { isJsonObject, type JsonObject } from '../../../domain/kernel/json.js';
import type { OpenApiDocument } from '../../openapi/document.js';
import type { Operation } from '../../openapi/operation.js';
import {
  curlOf,
  exampleOf,
  refNameOf,
  codeBlock,
  EMPTY,
  html,
  type Html,
  inline,
  join,
  paragraphs,
  textOf,
  renderFields,
  renderType,
} from './render-schema.js';

/** An operation with its path and method; for a request that a plugin sends, the name of its event and no URL. */
export interface Endpoint {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
  readonly isPosted?: true;
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

/** The component that an object refers to, or the object itself. */
const resolve = (
  given: JsonObject,
  kind: 'parameters' | 'responses',
  { components }: OpenApiDocument,
): JsonObject => {
  const shared = components[kind];
  const found = isJsonObject(shared) ? shared[refNameOf(given) ?? ''] : undefined;
  return isJsonObject(found) ? found : given;
};

const renderParameters = ({ parameters = [] }: Operation, document: OpenApiDocument): Html =>
  renderFields(
    'Parameters',
    parameters
      .map((parameter) => resolve(parameter, 'parameters', document))
      .map(({ name, schema, required, description }) => ({
        name: textOf(name),
        schema: isJsonObject(schema) ? schema : {},
        required: required === true,
        description: textOf(description),
      })),
  );

const renderBody = ({ requestBody }: Operation): Html => {
  const schema = schemaOf(requestBody);
  return schema ? html`<p>Body: ${renderType(schema)}</p>` : EMPTY;
};

/** The error codes of a response, else its type. */
const renderContent = (response: JsonObject): Html => {
  const examples = jsonContentOf(response)?.examples;
  if (isJsonObject(examples)) {
    const codes = Object.keys(examples).map((code) => html`<code>${code}</code>`);
    return join(codes, ' ');
  }
  const schema = schemaOf(response);
  return schema ? renderType(schema) : html`no body`;
};

const renderResponse = (status: string, response: JsonObject): Html =>
  html`<tr>
    <th scope="row">${status}</th>
    <td>${inline(textOf(response.description))}</td>
    <td>${renderContent(response)}</td>
  </tr>`;

/** The section of an operation: description, parameters, body, curl command, responses. */
export const renderOperation = (
  { path, method, operation, isPosted }: Endpoint,
  { document, publicUrl }: Parts,
): Html => {
  const bodySchema = schemaOf(operation.requestBody);
  const body = bodySchema && exampleOf(bodySchema, document.components.schemas);
  const curl = () => codeBlock(curlOf(publicUrl + path, method, operation, body));
  return html`<article id="${operation.operationId}">
    <h3>${operation.summary}</h3>
    <p class="path"><span class="method">${method.toUpperCase()}</span> <code>${path}</code></p>
    ${paragraphs(operation.description)} ${renderParameters(operation, document)}
    ${renderBody(operation)} ${isPosted ? EMPTY : curl()}
    <table>
      <caption>
        Responses
      </caption>
      <tbody>
        ${Object.entries(operation.responses).map(([status, response]) =>
          renderResponse(status, resolve(response, 'responses', document)),
        )}
      </tbody>
    </table>
  </article>`;
};
