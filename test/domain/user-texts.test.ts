import { describe, expect, it } from 'vitest';
import { textsOf, USER_TEXTS, withTexts } from '../../src/domain/user/user-texts.js';
import { aProfile } from '../support/builders.js';

const { displayName: _, ...profile } = aProfile();

describe('the optional texts of a user', () => {
  it('are null if the profile has none', () => {
    expect(textsOf(profile)).toEqual({ external_id: null });
  });

  it('are written where the profile has them, by the names of SCIM', () => {
    const written = withTexts(profile, { external_id: 'HR-1815' });
    expect(written).toEqual({ ...profile, externalId: 'HR-1815' });
    expect(textsOf(written)).toEqual({ external_id: 'HR-1815' });
  });

  it('stay if they are not given, and go with null', () => {
    const written = withTexts(profile, { external_id: 'HR-1815' });
    expect(withTexts(written, {})).toEqual(written);
    expect(withTexts(written, { external_id: null })).toEqual(profile);
  });

  it('have an option of the command line each', () => {
    for (const { option } of Object.values(USER_TEXTS))
      expect(option).toMatch(/^--[a-z-]+ <[a-z]+>$/);
  });
});
