import { Argument, type Command } from 'commander';
import { completionsOf } from '../completions.js';
import { addExamples } from '../help.js';
import type { World } from '../world.js';

/** Each asks the hidden command `rollgate complete` for what may stand where the cursor is. */
const SCRIPTS = {
  bash: `_rollgate() {
  local line=\${COMP_LINE:0:COMP_POINT} words current
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  current=\${words[\${#words[@]}-1]}
  local IFS=$'\\n'
  COMPREPLY=($(rollgate complete -- "\${words[@]:1}" 2>/dev/null))
  # To bash a word begins anew after each colon, so what stands before the last one stays.
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

export const addCompletionCommands = (program: Command, world: World): void => {
  const completion = program
    .command('completion')
    .summary('print the completion script of a shell')
    .description('Prints a script that lets a shell complete commands and options.')
    .addArgument(new Argument('<shell>', 'which one').choices(Object.keys(SCRIPTS)))
    .action((shell: Shell) => world.out.write(SCRIPTS[shell]));
  addExamples(completion, [
    ['source <(rollgate completion bash)', 'in ~/.bashrc'],
    ['source <(rollgate completion zsh)', 'in ~/.zshrc'],
    ['rollgate completion fish | source', 'in ~/.config/fish/config.fish'],
  ]);
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action((words: readonly string[]) => {
      world.out.write(
        completionsOf(program, words)
          .map((word) => `${word}\n`)
          .join(''),
      );
    });
};
