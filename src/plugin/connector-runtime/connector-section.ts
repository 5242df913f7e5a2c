import { z } from 'zod';
import type { Connector } from '../contract/connector-contract.js';
import { isAddressRange } from '../outbound/address-guard.js';

/** What Rollgate itself reads of a section under `connectors`, as parsed. */
export interface ConnectorSection {
  readonly tenant: string;
  readonly isolation: 'process' | 'none';
  readonly allow: readonly string[];
  readonly ca?: string | undefined;
  /** The connector's own settings. */
  readonly settings: unknown;
}

const NO_SETTINGS = z.strictObject({});

const ownFields = (settings: z.ZodType) => ({
  tenant: z
    .string({ error: 'expected the slug of a tenant' })
    .min(1, { error: 'expected the slug of a tenant' })
    .describe('Slug of the tenant whose users it provides.'),
  isolation: z
    .enum(['process', 'none', 'worker'], { error: 'expected process or none' })
    .default('process')
    // Its name while it was a thread; configuration files have it.
    .transform((given) => (given === 'worker' ? 'process' : given))
    .describe(
      '`process`: in a process of its own, which is ended if it hangs or takes too much memory. ' +
        '`none`: in the gateway.',
    ),
  allow: z
    .array(
      z.string().refine(isAddressRange, {
        error: 'expected an address or a range such as 10.1.0.0/16',
      }),
    )
    .default([])
    .describe('Non-public address ranges that it may reach.'),
  ca: z.string().min(1).optional().describe('PEM file of additional CAs to trust for its source.'),
  settings: settings.prefault({}).describe('The settings of the connector itself; see its README.'),
});

/** What a section under `connectors` holds besides `use` and `enabled`. */
export const connectorSectionOf = (
  settings: Connector['settings'],
  options: z.ZodObject,
): z.ZodObject => options.safeExtend(ownFields(settings ?? NO_SETTINGS));
