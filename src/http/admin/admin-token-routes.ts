import { z } from 'zod';
import type { AdminTokens } from '../../api/admin-token.js';
import { operatorRoute, type Route } from '../../api/route.js';
import { RefusalError } from '../../domain/kernel/refusals.js';
import type { AdminTokenCheck } from '../keys/admin-token-check.js';
import { ADMIN_TOKEN_INVALID } from '../middleware/refuse-credentials.js';

export interface AdminTokenRouteParts {
  readonly adminTokens: Pick<AdminTokens, 'rotate' | 'findHash'>;
  readonly adminTokenCheck: Pick<AdminTokenCheck, 'invalidate'>;
}

const RotatedAdminToken = z
  .strictObject({
    token: z.string().describe('The new token. Returned only in this response.'),
    stored_in: z.string().describe("Path of the file on the gateway's machine that stores it."),
    was_configured: z
      .boolean()
      .describe(
        'True if the old token came from the configuration: update it before the next restart.',
      ),
  })
  .meta({
    id: 'RotatedAdminToken',
    examples: [
      {
        token: 'rgadm_Y2xlYXJseS1hbi1leGFtcGxlLW5vdC1hLXRva2Vu',
        stored_in: '/var/lib/rollgate/admin-token',
        was_configured: false,
      },
    ],
  });

/** The admin token (decisions.md 8). */
export const adminTokenRoutes = ({
  adminTokens,
  adminTokenCheck,
}: AdminTokenRouteParts): readonly Route[] => [
  operatorRoute({
    method: 'POST',
    path: '/admin-token/rotate',
    operationId: 'rotateAdminToken',
    role: 'owner',
    stepUp: true,
    tag: 'Admin token',
    summary: 'Replace the admin token',
    description:
      'Generates a new admin token. The old one stops working immediately on this gateway, and ' +
      'within 1 s on all other gateways of the database. The new one is stored in the data folder ' +
      'of the gateway that handles the request.',
    responses: { 200: { description: 'The new token.', body: RotatedAdminToken } },
    handler: async ({ caller }) => {
      const tokenHash = caller.tokenHash ?? (await adminTokens.findHash());
      const rotated = tokenHash === undefined ? undefined : await adminTokens.rotate(tokenHash);
      adminTokenCheck.invalidate();
      if (!rotated) throw new RefusalError(ADMIN_TOKEN_INVALID);
      const { token, path, wasConfigured } = rotated;
      return {
        status: 200,
        body: { token, stored_in: path, was_configured: wasConfigured },
        headers: { 'Cache-Control': 'no-store' },
      };
    },
  }),
];
