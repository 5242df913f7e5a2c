import { randomBytes } from 'node:crypto';
import type { NumberVault } from '../../src/ports/sms-lists.js';
import type { SmsMemberInput } from '../../src/domain/commands.js';
import type { SmsListId, SmsMemberId } from '../../src/domain/kernel/ids.js';
import type { SmsList, SmsMember } from '../../src/domain/sms/sms-list.js';
import { newId } from '../../src/pipeline/submit.js';
import { createNumberVault } from '../../src/sms/phone-numbers.js';
import { createSecretBox } from '../../src/plugin/host/secret-box.js';
import { idOf, NOW, TENANT_ID } from './builders.js';

export const TEST_SECRET_KEY = randomBytes(32);

/** A vault as the gateway creates it. */
export const TEST_VAULT: NumberVault = createNumberVault({
  secrets: createSecretBox(TEST_SECRET_KEY),
  secretKey: TEST_SECRET_KEY,
});

export const LIST_ID = idOf<SmsListId>(0x5115);

export const aSmsList = (more: Partial<SmsList> = {}): SmsList => ({
  id: LIST_ID,
  tenantId: TENANT_ID,
  name: 'Night shift',
  externalId: null,
  validFrom: null,
  validUntil: null,
  memberCount: 0,
  nextPlace: 0,
  version: 1,
  pendingJob: null,
  createdAt: NOW,
  updatedAt: NOW,
  ...more,
});

/** A well-formed phone number: `numberOf(7)` ends in 7. */
export const numberOf = (number: number): string => `+4915${String(number).padStart(9, '0')}`;

/** The member at this position of the list, counted from 0. */
export const aSmsMember = (place: number, more: Partial<SmsMember> = {}): SmsMember => ({
  id: idOf<SmsMemberId>(0x1000 + place),
  tenantId: TENANT_ID,
  listId: LIST_ID,
  number: { key: `key-${place}`, sealed: `sealed-${place}` },
  displayName: null,
  validFrom: null,
  validUntil: null,
  place,
  createdAt: NOW,
  ...more,
});

/** The input for a member with the same number as `aSmsMember` at this position. */
export const smsMemberInput = (
  place: number,
  more: Omit<Partial<SmsMemberInput>, 'id' | 'number'> = {},
): SmsMemberInput => ({
  id: newId<SmsMemberId>(),
  number: { key: `key-${place}`, sealed: `another-${place}` },
  ...more,
});
