import type { Command, MemberStep } from './commands.js';

const namedIn = (steps: readonly MemberStep[]): number =>
  steps.reduce((sum, step) => sum + ('userIds' in step ? step.userIds.length : 0), 0);

/**
 * What a command weighs in queues and batches: about how many rows it changes, at least one
 * (pipeline-rules.md 9).
 */
export const weightOf = (command: Command): number => {
  switch (command.type) {
    case 'bulk':
      return command.operations.reduce(
        (sum, operation) => sum + ('command' in operation ? weightOf(operation.command) : 0),
        1,
      );
    case 'member.sync':
      return 1 + command.members.length;
    case 'group.create':
      return 1 + command.members.length;
    case 'group.change':
      return 1 + namedIn(command.steps);
    case 'sms-member.upsert':
    case 'sms-member.replace':
      return 1 + command.members.length;
    case 'sms-member.remove-by-number':
      return 1 + command.keys.length;
    default:
      return 1;
  }
};
