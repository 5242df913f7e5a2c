import type { OpenApiDocument } from '../../openapi/document.js';
import { html, type Html, NOTHING, prose } from './html.js';
import { type Place, renderOperation } from './render-operation.js';
import { renderSchema } from './render-schema.js';

const placesOf = ({ paths }: OpenApiDocument): readonly Place[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

const anchorOf = (tag: string): string => `tag-${tag.toLowerCase().replaceAll(' ', '-')}`;

const renderNavigation = (document: OpenApiDocument, places: readonly Place[]): Html =>
  html`<nav aria-label="Operations">
    ${document.tags.map(
      ({ name }) =>
        html`<p><a href="#${anchorOf(name)}">${name}</a></p>
          <ul>
            ${places
              .filter(({ operation }) => operation.tags.includes(name))
              .map(
                ({ operation: { operationId, summary } }) =>
                  html`<li><a href="#${operationId}">${summary}</a></li>`,
              )}
          </ul>`,
    )}
    <p><a href="#schemas">Schemas</a></p>
  </nav>`;

/**
 * The reference page: the OpenAPI document as HTML that needs no script and loads nothing but its
 * style sheet, so that it works behind the strictest policy and without a network.
 */
export const renderReference = (document: OpenApiDocument, publicUrl: string): string => {
  const places = placesOf(document);
  const { title, version, description } = document.info;
  const sections = document.tags.map(
    ({ name, description: about }) =>
      html`<section>
        <h2 id="${anchorOf(name)}">${name}</h2>
        ${about === undefined ? NOTHING : html`<p>${about}</p>`}
        ${places
          .filter(({ operation }) => operation.tags.includes(name))
          .map((place) => renderOperation(place, { document, publicUrl }))}
      </section>`,
  );
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) =>
    renderSchema(name, schema),
  );
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} API reference</title>
        <link rel="stylesheet" href="/docs/style.css" />
      </head>
      <body>
        ${renderNavigation(document, places)}
        <main>
          <h1>${title} API <small>${version}</small></h1>
          ${prose(description)}
          <p>The same as a document for machines: <a href="/openapi.json">/openapi.json</a></p>
          ${sections}
          <section>
            <h2 id="schemas">Schemas</h2>
            ${schemas}
          </section>
        </main>
      </body>
    </html> `.html;
};
