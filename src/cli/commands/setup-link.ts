import { SETUP_PROVIDERS } from '../../domain/operator/operator.js';
import { formatSecond } from '../format-time.js';
import { defineResource } from '../resource.js';
import { type Schemas, viewOf } from '../view-of.js';

/** As it is created, or as it is listed. */
type SetupLinkView = Partial<Schemas['ListedSetupLink']> &
  Pick<Schemas['SetupLink'], 'id' | 'expires_at'> &
  Partial<Schemas['SetupLink']>;

const PROVIDERS = Object.keys(SETUP_PROVIDERS);

export const SETUP_LINKS = defineResource<SetupLinkView>({
  name: 'setup-link',
  noun: 'a setup link',
  plural: 'setup links',
  summary: "let a customer's administrator connect their identity provider",
  description:
    'Setup links: the administrator of a customer opens one, follows the steps for their identity ' +
    'provider, and creates the API key that it needs. They also see whether the connection works, ' +
    'what was refused, and who is in which room.',
  path: '/setup-links',
  items: 'setup_links',
  view: viewOf<SetupLinkView>('id'),
  fields: [
    { label: 'provider', text: ({ provider }) => provider, only: 'list' },
    { label: 'expires', time: ({ expires_at }) => expires_at },
    {
      label: 'key',
      text: ({ key_id }) => (key_id == null ? 'not created' : key_id),
      only: 'list',
    },
    {
      label: 'integrations',
      text: ({ integrations }) => (integrations ? 'yes' : 'no'),
      only: 'list',
    },
    { label: 'id', text: ({ id }) => id },
    { label: 'url', text: ({ url }) => url, only: 'show' },
  ],
  id: ({ id }) => id,
  label: ({ provider, id }) => provider ?? id,
  item: {
    name: '<setup-link>',
    help: "the setup link's id, or its provider if only one has it",
    searched: ['provider'],
  },
  names: ({ provider, id, expires_at: at }) => [provider ?? id, `expires ${formatSecond(at)}`],
  isOnlyListed: true,
  hasNoDryRun: true,
  create: {
    description:
      'Create a setup link. Send it to the administrator of the customer only: with it, they create ' +
      'the API key of their identity provider. It works until it expires, also several times, and ' +
      'cannot be shown again.',
    options: [
      {
        flags: '--provider <name>',
        help: `identity provider whose steps it shows: ${PROVIDERS.join(', ')} (default: other)`,
        choices: PROVIDERS,
      },
      {
        flags: '--expires-in-hours <n>',
        help: 'hours until it stops working, 1 to 720 (default: 72)',
        type: { min: 1, max: 720 },
      },
      {
        flags: '--integrations',
        help: 'let the customer manage integrations of their own, such as receivers of events',
      },
    ],
    quiet: ({ url, id }) => url ?? id,
    examples: [
      ['rollgate setup-link create acme --provider okta', 'valid for three days'],
      ['rollgate setup-link create acme --provider entra --quiet', 'prints only the link'],
    ],
  },
  list: {
    description: 'List the setup links of a tenant that have not expired.',
    examples: [['rollgate setup-link list acme', 'with the API keys created with them']],
  },
  delete: {
    name: 'revoke',
    done: 'Revoked',
    summary: 'end a setup link',
    description:
      'End a setup link. It stops working within a second; an API key created with it stays valid. ' +
      'Asks for confirmation.',
    warning: ({ provider, id }) =>
      `This ends the setup link ${provider ?? id}. The API key created with it stays valid.`,
    examples: [['rollgate setup-link revoke acme okta', 'asks for confirmation']],
  },
});
