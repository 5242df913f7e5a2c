import type { Element, Node } from '@xmldom/xmldom';
import { optionalLibrary, SourceError } from '../../src/plugin/api.js';

/**
 * XML as the objects that paths and mappings read: an element is its text; with elements in it, an
 * object, where several of one name are a list; attributes have `@` before their name, and text beside
 * them is `#text`. Prefixes of namespaces are left out. Document types are refused: their entities can
 * be made to fill memory.
 */
export const parseXml = async (body: string, source: string): Promise<unknown> => {
  const { DOMParser, onErrorStopParsing } = await optionalLibrary(
    '@xmldom/xmldom',
    () => import('@xmldom/xmldom'),
  );
  if (/<!DOCTYPE/i.test(body))
    throw new SourceError('schema', `${source} sent XML with a document type, which is not read.`);
  try {
    const { documentElement: root } = new DOMParser({
      onError: onErrorStopParsing,
    }).parseFromString(body, 'text/xml');
    return root ? { [nameOf(root)]: valueOf(root) } : {};
  } catch {
    // The error of the parser quotes the body.
    throw new SourceError('schema', `${source} sent a response that is cut or is not XML.`);
  }
};

const ELEMENT_NODE = 1;

const isElement = (node: Node): node is Element => node.nodeType === ELEMENT_NODE;

const nameOf = ({ localName, nodeName }: Node): string => localName ?? nodeName;

const valueOf = (element: Element): unknown => {
  const children = [...element.childNodes].filter(isElement);
  const attributes = [...element.attributes].filter(({ name }) => !/^xmlns(:|$)/.test(name));
  const text = (element.textContent ?? '').trim();
  if (children.length === 0 && attributes.length === 0) return text;
  const fields = new Map<string, unknown>();
  for (const attribute of attributes) fields.set(`@${nameOf(attribute)}`, attribute.value);
  for (const [name, values] of byName(children))
    fields.set(name, values.length === 1 ? values[0] : values);
  if (children.length === 0 && text !== '') fields.set('#text', text);
  return Object.fromEntries(fields);
};

const byName = (elements: readonly Element[]): ReadonlyMap<string, unknown[]> => {
  const found = new Map<string, unknown[]>();
  for (const element of elements) {
    const values = found.get(nameOf(element)) ?? [];
    values.push(valueOf(element));
    found.set(nameOf(element), values);
  }
  return found;
};
