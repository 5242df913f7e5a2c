/** Text that is HTML already; whatever is not goes through `escape`. */
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
  text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');

const isList = (part: Part): part is readonly Html[] => Array.isArray(part);

const render = (part: Part): string => {
  if (isList(part)) return part.map(({ html }) => html).join('\n');
  return typeof part === 'object' ? part.html : escape(String(part));
};

/** Tag of templates whose values are escaped, unless they are HTML themselves. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: texts.map((text, at) => text + (at < parts.length ? render(parts[at] ?? '') : '')).join(''),
});

export const NOTHING: Html = { html: '' };

/** Paragraphs of plain text in which backticks mark code: as much Markdown as summaries need. */
export const prose = (text: string): readonly Html[] =>
  text.split('\n\n').map((paragraph) => {
    const inline = paragraph
      .split('`')
      .map((piece, at) => (at % 2 ? html`<code>${piece}</code>` : html`${piece}`));
    return { html: `<p>${inline.map((piece) => piece.html).join('')}</p>` };
  });
