export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

/** The script that a shell loads; it asks `slipway __complete` at each key press, so names come from the cluster. */
export function completionScript(shell: Shell): string {
  return scripts[shell];
}

const scripts: Readonly<Record<Shell, string>> = {
  // COMP_WORDBREAKS holds ":" and "=": the words are taken from the line as typed instead.
  bash: `_slipway() {
  local line words
  line="\${COMP_LINE:0:COMP_POINT}"
  read -ra words <<<"$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  local IFS=$'\\n'
  COMPREPLY=($("\${words[0]}" __complete -- "\${words[@]:1}" 2>/dev/null))
}
complete -o default -F _slipway slipway
`,
  zsh: `#compdef slipway
_slipway() {
  local -a candidates
  candidates=("\${(@f)$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -- $candidates
}
compdef _slipway slipway
`,
  fish: `complete -c slipway -f -a '(set -l words (commandline -opc) (commandline -ct); $words[1] __complete -- $words[2..] 2>/dev/null)'
`,
};
