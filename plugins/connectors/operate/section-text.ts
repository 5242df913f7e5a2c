import { raise, type SettingFault } from '../../../src/plugin/api.js';
import { ConfigError, parseConfigText } from '../../../src/plugin/connectors-api.js';

/** Options of a connector, as someone wrote them. */
interface SectionText {
  readonly settings: Readonly<Record<string, unknown>>;
  /** The line of an option, or of its closest existing parent. */
  readonly lineOf: (place: SettingFault['path']) => number;
}

/** Refuses what is not YAML, with its line. */
export const readSection = (text: string): SectionText => {
  try {
    return parseConfigText(text, 'line');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [problem] = error.problems;
    const line = problem?.place.replace('line:', 'Line ');
    return raise('INVALID_REQUEST', `${line}: ${problem?.message}.`);
  }
};

/** Options as YAML to edit. The connector's own rules are a comment: `map` need not repeat them. */
export const writeSection = async (options: object, ownRules: object): Promise<string> => {
  // Seventy modules, loaded only for a preview.
  const { default: yaml } = await import('yaml');
  const document = new yaml.Document(options);
  document.commentBefore =
    ' Rules of the connector itself. A rule of map replaces one; null removes it.\n' +
    yaml.stringify(ownRules).trimEnd().replaceAll(/^/gm, '   ');
  return document.toString();
};
