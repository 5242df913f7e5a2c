import type { OpenApiDocument } from '../../openapi/document.js';
import {
  EMPTY,
  html,
  type Html,
  inline,
  paragraphs,
  renderSchema,
  curlOf,
  codeBlock,
  join,
  textOf,
  renderFields,
  renderType,
} from './render-schema.js';
import { isJsonObject, type JsonObject } from '../../../domain/kernel/json.js';
import { exampleOf, refNameOf } from '../../openapi/example-of.js';
import type { Operation } from '../../openapi/operation.js';

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
const renderOperation = (
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

interface Section {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly endpoints: readonly Endpoint[];
}

const endpointsOf = ({ paths, webhooks = {} }: OpenApiDocument): readonly Endpoint[] => [
  ...Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  ),
  ...Object.entries(webhooks).map(([path, { post }]): Endpoint => ({
    path,
    method: 'post',
    operation: { ...post, description: '' },
    isPosted: true,
  })),
];

const sectionsOf = (document: OpenApiDocument): readonly Section[] => {
  const endpoints = endpointsOf(document);
  return document.tags.map(({ name, description }) => ({
    id: `tag-${name.toLowerCase().replaceAll(' ', '-')}`,
    name,
    description,
    endpoints: endpoints.filter(({ operation }) => operation.tags.includes(name)),
  }));
};

const renderNavigation = (sections: readonly Section[]): Html =>
  html`<nav aria-label="Operations">
    ${sections.map(
      ({ id, name, endpoints }) =>
        html`<p><a href="#${id}">${name}</a></p>
          <ul>
            ${endpoints.map(
              ({ operation: { operationId, summary } }) =>
                html`<li><a href="#${operationId}">${summary}</a></li>`,
            )}
          </ul>`,
    )}
    <p><a href="#schemas">Schemas</a></p>
  </nav>`;

/**
 * The reference page: the OpenAPI document as plain HTML with a style sheet. Why no library does
 * this: decision 0030.
 */
export const renderReference = (document: OpenApiDocument, publicUrl: string): string => {
  const { title, version, description } = document.info;
  const sections = sectionsOf(document);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} API reference</title>
        <link rel="stylesheet" href="/docs/style.css" />
      </head>
      <body>
        ${renderNavigation(sections)}
        <main>
          <h1>${title} API <small>${version}</small></h1>
          ${paragraphs(description)}
          <p>OpenAPI document: <a href="/openapi.json">/openapi.json</a></p>
          ${sections.map(
            ({ id, name, description: about, endpoints }) =>
              html`<section>
                <h2 id="${id}">${name}</h2>
                ${about === undefined ? EMPTY : html`<p>${inline(about)}</p>`}
                ${endpoints.map((endpoint) => renderOperation(endpoint, { document, publicUrl }))}
              </section>`,
          )}
          <section>
            <h2 id="schemas">Schemas</h2>
            ${Object.entries(document.components.schemas).map(([name, schema]) =>
              renderSchema(name, schema),
            )}
          </section>
        </main>
      </body>
    </html> `.html;
};

/** Style sheet of the reference page; follows the reader's light or dark mode. */
export const REFERENCE_STYLE = `
:root {
  color-scheme: light dark;
  --ink: #1b1f24; --paper: #fff; --soft: #f3f5f7; --line: #d5dae0; --link: #0b57b8; --quiet: #57606a;
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ec; --paper: #14171a; --soft: #1f2429; --line: #3a424a; --link: #7ab7ff; --quiet: #a3adb7; }
}
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); color: var(--ink);
  background: var(--paper); font: 1rem/1.55 system-ui, sans-serif; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem 1rem; background: var(--soft);
  border-right: 1px solid var(--line); font-size: .9rem; }
nav p { margin: 1rem 0 .25rem; font-weight: 600; }
nav ul { margin: 0; padding-left: 1rem; list-style: none; }
main { padding: 1.5rem 2.5rem 4rem; max-width: 60rem; }
a { color: var(--link); }
h1 small, em { color: var(--quiet); font-weight: normal; font-style: normal; font-size: .8rem; }
h2 { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); }
article { margin: 2rem 0 3rem; scroll-margin-top: 1rem; }
code, pre { font: .88em/1.5 ui-monospace, monospace; }
pre { padding: .9rem 1rem; overflow-x: auto; background: var(--soft); border: 1px solid var(--line); border-radius: .4rem; }
.path { padding: .5rem .75rem; background: var(--soft); border-radius: .4rem; overflow-wrap: anywhere; }
.method { display: inline-block; min-width: 4rem; font-weight: 700; }
table { width: 100%; margin: 1rem 0; border-collapse: collapse; font-size: .92rem; }
caption { text-align: left; font-weight: 600; padding-bottom: .25rem; }
th, td { padding: .4rem .9rem .4rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: break-word; }
th { width: 14rem; font-weight: 500; overflow-wrap: anywhere; }
td { max-width: 28rem; }
small { color: var(--quiet); }
@media (max-width: 50rem) {
  body { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1rem; }
  th { width: auto; }
}
@media print { body { display: block; } nav { display: none; } }
`;
