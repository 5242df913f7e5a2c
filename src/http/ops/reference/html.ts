import type { JsonValue } from '../../../domain/kernel/json.js';

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
