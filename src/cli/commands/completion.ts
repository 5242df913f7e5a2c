import { Argument, type Command } from 'commander';
import type { CliContext } from '../cli-context.js';
import { completionsOf } from '../completions.js';
import { addExamples } from '../help.js';

/** Each calls the hidden command `rollgate complete` for the candidates. */
const SCRIPTS = {
  bash: `_rollgate() {
  local line=\${COMP_LINE:0:COMP_POINT} words current
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  current=\${words[\${#words[@]}-1]}
  local IFS=$'\\n'
  COMPREPLY=($(rollgate complete -- "\${words[@]:1}" 2>/dev/null))
  # Bash splits words at colons and replaces only the part after the last one.
  [[ $COMP_WORDBREAKS == *:* ]] && COMPREPLY=("\${COMPREPLY[@]#"\${current%"\${current##*:}"}"}")
}
complete -o default -F _rollgate rollgate
`,
  zsh: `#compdef rollgate
_rollgate() {
  local -a candidates
  candidates=("\${(@f)$(rollgate complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "$candidates" ]] && compadd -- "\${candidates[@]}" || _files
}
compdef _rollgate rollgate
`,
  fish: `function __rollgate_complete
  set -l words (commandline -opc) (commandline -ct)
  rollgate complete -- $words[2..] 2>/dev/null
end
complete -c rollgate -a '(__rollgate_complete)'
`,
} as const;

type Shell = keyof typeof SCRIPTS;

export const addCompletionCommands = (program: Command, context: CliContext): void => {
  const completion = program
    .command('completion')
    .summary('print a shell completion script')
    .description('Print a script that completes commands and options in your shell.')
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(Object.keys(SCRIPTS)))
    .action((shell: Shell) => context.stdout.write(SCRIPTS[shell]));
  addExamples(completion, [
    ['source <(rollgate completion bash)', 'in ~/.bashrc'],
    ['source <(rollgate completion zsh)', 'in ~/.zshrc'],
    ['rollgate completion fish | source', 'in ~/.config/fish/config.fish'],
  ]);
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action((words: readonly string[]) => {
      context.stdout.write(
        completionsOf(program, words)
          .map((word) => `${word}\n`)
          .join(''),
      );
    });
};
