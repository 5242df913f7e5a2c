/** A command of a page, and what the page says that it prints. */
export interface ShownCommand {
  readonly command: string;
  /** Undefined: the page shows no output. */
  readonly output: string | undefined;
}

/** A block of commands in a page. */
export interface ShownBlock {
  /** Line of its beginning, from 1. */
  readonly line: number;
  /** Why it is not run: `<!-- not run: … -->` above it. */
  readonly notRun: string | undefined;
  /** Whether the gateway is started again before: `<!-- restarted -->` above it. */
  readonly isRestarted: boolean;
  readonly commands: readonly ShownCommand[];
}

const BLOCK = /(?:^<!-- ([^\n]*) -->\n\n)?^```(sh|console)\n([\s\S]*?)^```/gm;

export const blocksOf = (page: string): readonly ShownBlock[] =>
  [...page.matchAll(BLOCK)].map(({ index, 1: mark = '', 2: language, 3: text = '' }) => ({
    line: page.slice(0, index).split('\n').length,
    notRun: /^not run: (.+)$/.exec(mark)?.[1],
    isRestarted: mark === 'restarted',
    commands: language === 'sh' ? [{ command: text, output: undefined }] : commandsOf(text),
  }));

/** Lines after `$ `, with their continuations, and what follows them. */
const commandsOf = (text: string): readonly ShownCommand[] =>
  text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [, command = '', output = ''] = /^((?:.*\\\n)*.*\n)([\s\S]*)$/.exec(part) ?? [];
      return { command, output: output.trim() === '' ? undefined : output.trimEnd() };
    });

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** What differs from run to run: as a page shows it, and as it is printed. */
const VARIABLE: readonly (readonly [shown: RegExp, printed: string])[] = [
  [/[0-9a-f]{8}-…/, '[0-9a-f]{8}-[0-9a-f-]{27}'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/, String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`],
  [
    /\d{1,2} [A-Z][a-z]+ \d{4} at \d\d:\d\d UTC/,
    String.raw`\d{1,2} [A-Z][a-z]+ \d{4} at \d\d:\d\d UTC`,
  ],
  [/just now/, String.raw`(?:just now|[\w ]+ ago)`],
  [/run-[0-9a-z]+-[0-9a-f]{6}/, 'run-[0-9a-z]+-[0-9a-f]{6}'],
  [/rgt_…/, String.raw`rgt_[\w.~-]+`],
  [/…/, String.raw`[\s\S]*?`],
];

const ANY = new RegExp(`(${VARIABLE.map(([shown]) => shown.source).join('|')})`);

/** Whether the printed text is what the page shows: `…` stands for any text. */
export const isAsShown = (shown: string, printed: string): boolean => {
  const pattern = shown
    .split(ANY)
    .map(
      (part) =>
        VARIABLE.find(([form]) => new RegExp(`^${form.source}$`).test(part))?.[1] ?? escape(part),
    )
    .join('');
  return new RegExp(`^${pattern}$`).test(printed.trimEnd());
};

/** Whether the page shows only parts of what is printed. */
export const isCut = (shown: string): boolean =>
  shown.replaceAll(/[0-9a-f]{8}-…|rgt_…/g, '').includes('…');

/** As pages show it: ids are cut. */
export const toShow = (printed: string): string =>
  printed.trimEnd().replaceAll(/\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f-]{22}\b/g, '$1-…');
