const secretName = /secret|token|password|passwd|passphrase|api-?key|private-?key|credential/i;
const mask = '•••';

/**
 * The words of a command with the values of flags that name a secret hidden, as in `--client-secret=•••`. What
 * is shown is for a person to recognise the program, never to be run.
 */
export function maskSecrets(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const assigned = /^(-{0,2}[\w.-]+)=/.exec(word)?.[1];
    if (assigned !== undefined) return secretName.test(assigned) ? `${assigned}=${mask}` : word;
    const flag = words[index - 1] ?? '';
    const isValue = flag.startsWith('-') && !flag.includes('=') && !word.startsWith('-');
    return isValue && secretName.test(flag) ? mask : word;
  });
}
