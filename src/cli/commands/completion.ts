import { Argument, type Command } from 'commander';
import type { CliContext } from '../cli-context.js';
import { completionsOf } from '../completions.js';
import { addExamples } from '../help.js';

/** A command line that a shell has not parsed: up to the cursor. */
interface ShellLine {
  /** Without quotes and escapes; the last one may be empty. */
  readonly words: readonly string[];
  /** The quote that is open at the cursor, or none. */
  readonly quote: '"' | "'" | '';
  /** How much of the last word the shell keeps, because a break character ends that part. */
  readonly kept: number;
}

/**
 * Splits as bash does, but expands nothing: variables and commands stay text.
 *
 * @internal
 */
export const parseShellLine = (line: string, wordBreaks: string): ShellLine => {
  const words: string[] = [];
  let word: string | undefined;
  let kept = 0;
  let quote: ShellLine['quote'] = '';
  const add = (text: string): void => void (word = (word ?? '') + text);
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (quote !== '' && character === quote) quote = '';
    else if (quote === "'") add(character);
    else if (character === '\\') add(line.charAt((at += 1)));
    else if (quote !== '') add(character);
    else if (character === '"' || character === "'") {
      quote = character;
      add('');
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      kept = 0;
    } else {
      add(character);
      if (wordBreaks.includes(character)) kept = (word ?? '').length;
    }
  }
  return { words: [...words, word ?? ''], quote, kept: quote === '' ? kept : 0 };
};

/**
 * What bash inserts for a candidate: the rest of the word, escaped unless a quote is open.
 *
 * @internal
 */
export const bashInsertion = (candidate: string, { quote, kept }: ShellLine): string => {
  const rest = candidate.slice(kept);
  if (quote !== '') return rest;
  return rest.replace(/[^\w@%+=:,./-]/gu, (character) => `\\${character}`);
};

/**
 * Each calls the hidden command `rollgate complete` for the candidates. Bash passes the line as it
 * is typed, because it splits words at characters that names and addresses contain.
 */
const SCRIPTS = {
  bash: `_rollgate() {
  local candidate line=\${COMP_LINE:0:COMP_POINT}
  COMPREPLY=()
  while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(
    rollgate complete --bash "$COMP_WORDBREAKS" -- "$line" 2>/dev/null
  )
}
complete -o default -F _rollgate rollgate
`,
  zsh: `#compdef rollgate
_rollgate() {
  local -a candidates
  candidates=("\${(@f)$(rollgate complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "$candidates" ]] && compadd -- "\${candidates[@]}" || _files
}
compdef _rollgate rollgate
`,
  fish: `function __rollgate_complete
  set -l words (commandline -opc)
  set -l word (commandline -ct | string unescape)
  rollgate complete -- $words[2..] "$word" 2>/dev/null
end
complete -c rollgate -a '(__rollgate_complete)'
`,
  // Windows PowerShell drops empty arguments and quotes, so a space stands for a word that begins.
  powershell: `Register-ArgumentCompleter -Native -CommandName rollgate -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
    ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
  $start = $wordToComplete.Trim("'", '"')
  if ($start -eq '') { $start = ' ' }
  rollgate complete -- @words $start 2>$null | ForEach-Object {
    $text = if ($_ -match '[^\\w@%+=:./-]') { "'" + $_.Replace("'", "''") + "'" } else { $_ }
    [System.Management.Automation.CompletionResult]::new($text, $_, 'ParameterValue', $_)
  }
}
`,
} as const;

type Shell = keyof typeof SCRIPTS;

export const addCompletionCommands = (program: Command, context: CliContext): void => {
  const completion = program
    .command('completion')
    .summary('print a shell completion script')
    .description(
      'Print a script that completes commands, options and the names of tenants, users, rooms and so ' +
        'on in your shell. Names are read from the gateway.',
    )
    .addArgument(
      new Argument('<shell>', 'bash, zsh, fish or powershell').choices(Object.keys(SCRIPTS)),
    )
    .action((shell: Shell) => context.stdout.write(SCRIPTS[shell]));
  addExamples(completion, [
    ['source <(rollgate completion bash)', 'in ~/.bashrc'],
    ['source <(rollgate completion zsh)', 'in ~/.zshrc'],
    ['rollgate completion fish | source', 'in ~/.config/fish/config.fish'],
    ['rollgate completion powershell | Out-String | Invoke-Expression', 'in $PROFILE'],
  ]);
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .option('--bash <word-breaks>', 'the one word is a line of bash')
    .action(async (given: readonly string[], { bash }: { readonly bash?: string }) => {
      const line = bash === undefined ? undefined : parseShellLine(given[0] ?? '', bash);
      const words = line ? line.words.slice(1) : given.map((word) => (word === ' ' ? '' : word));
      const candidates = await completionsOf(program, words);
      const printed = line ? candidates.map((each) => bashInsertion(each, line)) : candidates;
      context.stdout.write(printed.map((each) => `${each}\n`).join(''));
    });
};
