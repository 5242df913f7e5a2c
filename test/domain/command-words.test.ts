import { describe, expect, it } from 'vitest';
import { titleOf, typeTitles } from '../../src/domain/command-words.js';

const webhook = { type: 'plugin.change', subject: { kind: 'webhook' } } as const;

describe('the title of a type', () => {
  it('is in words', () => {
    expect(typeTitles()).toMatchObject({
      'user.create': 'Create a user (user.create)',
      'user.patch': 'Change a user (user.patch)',
      'member.add': 'Add a member to a room (member.add)',
      'api-key.allow-removals': 'Allow removals by an API key (api-key.allow-removals)',
      'sms-member.upsert': 'Add recipients to an SMS list (sms-member.upsert)',
    });
  });
});

describe('the title of a command', () => {
  it.each([
    ['Rotated the secret of', 'applied', [{ path: 'secret' }]],
    ['Rotate the secret of', 'refused', [{ path: 'secret' }]],
    ['Created webhook', 'applied', [{ path: 'url', before: null, after: 'https://a.example' }]],
    ['Deleted webhook', 'applied', [{ path: 'url', before: 'https://a.example', after: null }]],
    ['Changed webhook', 'applied', [{ path: 'status', before: 'active', after: 'disabled' }]],
    ['Changed webhook', 'no-op', []],
  ])('is "%s" of a webhook, %s', (title, outcome, changes) => {
    expect(titleOf({ ...webhook, outcome, changes })).toBe(title);
  });

  it.each([
    ['Deactivated user', true, false],
    ['Reactivated user', false, true],
    ['Changed user', undefined, undefined],
  ])('is "%s" if active was %s and is %s', (title, before, after) => {
    const changes = [{ path: 'active', before, after }];
    const subject = { kind: 'user' };
    expect(titleOf({ type: 'user.patch', outcome: 'applied', subject, changes })).toBe(title);
  });

  it('names the kind of its subject in words, except after a preposition', () => {
    const [outcome, changes] = ['refused', []] as const;
    const subject = { kind: 'role_mapping' };
    expect(titleOf({ type: 'role-mapping.create', outcome, subject, changes })).toBe(
      'Create role mapping',
    );
    expect(titleOf({ type: 'member.add', outcome, subject: { kind: 'room' }, changes })).toBe(
      'Add a member to',
    );
  });
});
