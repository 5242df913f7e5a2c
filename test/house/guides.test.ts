import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/domain/command-catalogue.js';
import { REFUSALS } from '../../src/domain/kernel/refusals.js';

const folder = fileURLToPath(new URL('../../docs/guides/', import.meta.url));
const guides = readdirSync(folder).filter((name) => name.endsWith('.md'));
const read = (name: string): string => readFileSync(folder + name, 'utf8');
const all = [...guides, '../troubleshooting.md'].map(read).join('\n');

const found = (pattern: RegExp): readonly string[] => [
  ...new Set([...all.matchAll(pattern)].map(([, match = '']) => match)),
];

describe('the guides', () => {
  it('name commands of the provisioning log that exist', () => {
    const types = found(/`((?:user|group|room|member)\.[a-z-]+)`/g);
    expect(types.length).toBeGreaterThan(3);
    expect(types.filter((type) => !(type in COMMANDS))).toEqual([]);
  });

  it('name error codes that exist', () => {
    const codes = found(/`([A-Z]+(?:_[A-Z]+)+)`/g).filter(
      (code) => !/^(ROLLGATE|HR)_|_PROXY$/.test(code),
    );
    expect(codes.length).toBeGreaterThan(2);
    expect(codes.filter((code) => !(code in REFUSALS))).toEqual([]);
  });

  it.each(guides.filter((name) => name !== 'README.md' && name !== 'moving.md'))(
    '%s is listed, and says what the log shows and where to look if something is wrong',
    (name) => {
      expect(read('README.md')).toContain(`(${name})`);
      const text = read(name);
      expect(text).toContain('## What you will see in the provisioning log');
      expect(text).toContain('(../troubleshooting.md#an-identity-provider)');
      expect(text).toContain('(README.md)');
    },
  );
});
