import { type Refusal, refuse, type RefusalCode } from './refusals.js';

const notFound = (code: RefusalCode, message: string) => (): { readonly refusal: Refusal } => ({
  refusal: refuse(code, message),
});

/** The tenant was deleted while the command waited. */
export const tenantNotFound = notFound('TENANT_NOT_FOUND', 'This tenant has been deleted.');
export const userNotFound = notFound('USER_NOT_FOUND', 'No user has this id.');
export const roomNotFound = notFound('ROOM_NOT_FOUND', 'No room has this id.');
export const groupNotFound = notFound('GROUP_NOT_FOUND', 'No group has this id.');
export const memberNotFound = notFound(
  'MEMBER_NOT_FOUND',
  'This user is not a member of the room.',
);
export const roleMappingNotFound = notFound(
  'ROLE_MAPPING_NOT_FOUND',
  'This tenant has no role mapping with this id.',
);
export const apiKeyNotFound = notFound(
  'API_KEY_NOT_FOUND',
  'This tenant has no API key with this id.',
);
export const smsListNotFound = notFound('SMS_LIST_NOT_FOUND', 'No SMS list has this id.');
export const smsMemberNotFound = notFound(
  'MEMBER_NOT_FOUND',
  'No member of this SMS list has this id.',
);
