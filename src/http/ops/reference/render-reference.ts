import type { OpenApiDocument } from '../../openapi/document.js';
import { EMPTY, html, type Html, inline, paragraphs } from './html.js';
import { type Endpoint, renderOperation } from './render-operation.js';
import { renderSchema } from './render-schema.js';

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
