/** Schema URNs (RFC 7643, 8.7; RFC 7644, 8.2), literally as clients send them. */
export const USER_URN = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE_URN = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const GROUP_URN = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const PATCH_URN = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const BULK_URN = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
