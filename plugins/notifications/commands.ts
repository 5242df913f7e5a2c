import { type CliAction, defineCliResource } from '../../src/plugin/api.js';
import { TargetView, TestResult } from './routes.js';

const test: CliAction = {
  name: 'test',
  summary: 'send a test notification to a target',
  run: async ({ path, id, request }) => {
    const { sent, error } = TestResult.parse(await request('POST', `${path}/test`));
    return sent
      ? { note: `Sent a test notification to ${id}.\n`, sections: [], quiet: [id] }
      : { note: `Not sent: ${error ?? ''}\n`, sections: [], isFailure: true };
  },
  examples: [['rollgate notification test on-call', 'by the name of the target']],
};

/** `rollgate notification …` */
export const COMMANDS = [
  defineCliResource<TargetView>({
    name: 'notification',
    noun: 'a target',
    plural: 'targets',
    summary: 'list and test the targets of notifications',
    description:
      'Notifications: what operators should look at, sent by e-mail, webhook or to Slack. Targets and ' +
      'rules are in the settings file, in the section "plugins.notifications".',
    path: '/notifications/targets',
    perTenant: false,
    items: 'targets',
    view: TargetView,
    fields: [
      { label: 'target', text: ({ name }) => name },
      { label: 'kind', text: ({ kind }) => kind },
      { label: 'address', text: ({ address }) => address, wrapAt: 32 },
      { label: 'rules', text: ({ rules }) => rules.join(', '), wrapAt: 32 },
      { label: 'pending', text: ({ pending }) => String(pending), align: 'right' },
      { label: 'last sent', time: ({ last_sent_at: at }) => at },
      { label: 'error', text: ({ error }) => error, wrapAt: 40 },
    ],
    id: ({ name }) => name,
    label: ({ name }) => name,
    item: { name: '<target>', help: 'name of the target in the settings file' },
    list: {
      description:
        'List the targets of notifications, with the notifications that are pending and the last error.',
      examples: [['rollgate notification list', 'all targets']],
    },
    actions: [test],
  }),
];
