import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth, printable, createPaint, hasColours } from '../../src/cli/terminal-text.js';
import { formatTime, relativeTime } from '../../src/cli/format-time.js';
import { renderTable } from '../../src/cli/table.js';

const NOW = new Date('2026-11-21T09:00:00.000Z');
const plain = createPaint(false);

describe('a time', () => {
  it.each([
    ['2026-11-21T08:59:30.000Z', 'just now'],
    ['2026-11-21T08:59:00.000Z', '1 minute ago'],
    ['2026-11-21T06:01:00.000Z', '2 hours ago'],
    ['2026-11-20T09:00:00.000Z', '1 day ago'],
    ['2026-09-01T09:00:00.000Z', '2 months ago'],
    ['2024-11-20T09:00:00.000Z', '2 years ago'],
    ['2026-11-21T09:00:02.000Z', 'just now'],
    ['2026-11-21T09:00:30.000Z', 'in less than a minute'],
    ['2026-11-21T09:00:59.900Z', 'in 1 minute'],
    ['2026-11-21T09:01:20.000Z', 'in 1 minute'],
    ['2026-11-21T09:05:00.000Z', 'in 5 minutes'],
    ['2026-11-22T08:59:59.900Z', 'in 24 hours'],
    ['2026-11-23T09:00:00.000Z', 'in 2 days'],
  ])('of %s is "%s"', (iso, words) => {
    expect(relativeTime(new Date(iso), NOW)).toBe(words);
  });

  it('that is invalid is returned unchanged', () => {
    expect(formatTime('soon', NOW)).toBe('soon');
  });
});

describe('the width of text', () => {
  it.each([
    ['Ada', 3],
    ['Zoë', 3],
    ['Zoe\u0308', 3],
    ['東京', 4],
    ['한국', 4],
    ['👩‍🚒 Ada', 6],
    ['\u001B[1mbold\u001B[22m', 4],
  ])('%j is %d', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
});

describe('a table', () => {
  const words = fc.string({ unit: fc.constantFrom('a', 'é', '東', '👩‍🚒', ' '), maxLength: 12 });

  it('aligns its columns, whatever they contain', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(words, words), { minLength: 1, maxLength: 6 }), (rows) => {
        const lines = renderTable<readonly [string, string]>(
          [
            { title: 'ONE', cell: ([first]) => first, wrapAt: 6 },
            { title: 'TWO', cell: ([, second]) => second },
            { title: 'END', cell: () => '|' },
          ],
          rows,
          plain,
        ).split('\n');
        const bars = lines.filter((line) => line.endsWith('|')).map(displayWidth);
        expect(bars).toHaveLength(rows.length);
        expect(new Set(bars).size).toBe(1);
      }),
    );
  });

  describe('on a terminal', () => {
    const columns = [
      { title: 'NAME', cell: ([name = '']: readonly string[]) => name },
      { title: 'WHY', cell: ([, why = '']: readonly string[]) => why },
      { title: 'ID', cell: ([, , id = '']: readonly string[]) => id },
    ];
    const rows = [['Ada', 'member of the group Dispatch', '8f14e45f']];

    it('wraps its widest column', () => {
      expect(renderTable(columns, rows, createPaint(false, 30))).toBe(
        'NAME  WHY             ID\nAda   member of the   8f14e45f\n      group Dispatch\n',
      );
    });

    it('leaves out its last columns, and says so', () => {
      expect(renderTable(columns, rows, createPaint(false, 16))).toBe(
        'NAME  WHY\nAda   member of\n      the group\n      Dispatch\nNot shown: ID (-o wide).\n',
      );
    });

    it('breaks the long words of a text before it leaves out a column', () => {
      const texts = columns.map((column) => ({ ...column, wrapAt: 40 }));
      const row = ['Ada', 'grace.hopper@navy.example.com', '8f14e45f'];
      expect(renderTable(texts, [row], createPaint(false, 30))).toBe(
        [
          'NAME  WHY            ID',
          'Ada   grace.hopper@  8f14e45f',
          '      navy.example.',
          '      com\n',
        ].join('\n'),
      );
    });

    it('is never wider, unless a word of the first column is', () => {
      const table = fc.array(fc.tuple(words, words, words), { minLength: 1, maxLength: 6 });
      fc.assert(
        fc.property(table, fc.integer({ min: 16, max: 40 }), (cells, width) => {
          for (const line of renderTable(columns, cells, createPaint(false, width)).split('\n'))
            if (!line.startsWith('Not shown'))
              expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(width, 24));
        }),
      );
    });
  });

  it('has any number of rows', () => {
    const rows = Array.from({ length: 150_000 }, () => 'Ada Lovelace');
    const table = renderTable([{ title: 'NAME', cell: (name: string) => name }], rows, plain);
    expect(table.length).toBe(rows.length * 'Ada Lovelace\n'.length + 'NAME\n'.length);
  });

  it('has no colour codes without colours', () => {
    const table = (isOn: boolean) =>
      renderTable([{ title: 'A', cell: String }], [1], createPaint(isOn));
    expect(table(false)).toBe('A\n1\n');
    expect(table(true)).toBe('\u001B[1mA\u001B[22m\n1\n');
  });
});

describe('colours', () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
    [false, { FORCE_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [true, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])('on a terminal (%j) with %j are %j', (isTTY, env, isOn) => {
    expect(hasColours({ isTTY }, env)).toBe(isOn);
  });
});

describe('untrusted text', () => {
  it('cannot move the cursor or change the text direction', () => {
    expect(printable('a\u001B[2Jb\u202Ec\u0007d\ne')).toBe('a�[2Jb�c�d�e');
  });

  it('is safe in every cell of a list, and styles stay', () => {
    const columns = [{ title: 'CODE', cell: (code: string) => code }];
    const { red } = createPaint(true);
    expect(renderTable(columns, ['X\u001B[2J\u0007', red('Y')], plain)).toBe(
      `CODE\nX�[2J�\n${red('Y')}\n`,
    );
  });
});
