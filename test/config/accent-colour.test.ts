import { describe, expect, it } from 'vitest';
import { accentShades } from '../../config/accent-colour.js';

describe('the accent colour', () => {
  it('stays as it is where it can be read', () => {
    expect(accentShades('#1a5fb4').light).toBe('#1a5fb4');
    expect(accentShades('#ffcc00').dark).toBe('#ffcc00');
  });

  it('is darkened for the light theme as far as it needs to be', () => {
    expect(accentShades('#ffffff').light).toMatch(/^#([5-7][0-9a-f])\1\1$/);
    expect(accentShades('#ffcc00').light).toBe('#806600');
  });

  it('is lightened for the dark theme as far as it needs to be', () => {
    expect(accentShades('#000000').dark).toMatch(/^#([89a][0-9a-f])\1\1$/);
    expect(accentShades('#1a5fb4').dark).toBe('#6a97ce');
  });
});
