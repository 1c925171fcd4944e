import type { Guard } from '../../../contract/settings.ts';

export const guardNames: readonly { readonly value: Guard; readonly label: string }[] = [
  { value: 'none', label: 'None' },
  { value: 'confirm', label: 'Confirm' },
  { value: 'read-only', label: 'Read-Only' },
];

/** What each guard does, as a sentence. */
export const guardSentences: Readonly<Record<Guard, string>> = {
  none: 'Changes are made when you press the button for them.',
  confirm: 'Each change asks you to type the name of what it changes.',
  'read-only':
    'Slipway refuses everything that changes the cluster, runs a command in it or forwards a port.',
};

/** Why a text cannot be a cluster's initials; undefined when it can. Empty goes back to what the name gives. */
export function initialsProblem(text: string): string | undefined {
  if (text === '') return undefined;
  if ([...text].length > 3) return 'At most three characters.';
  return /^[\p{L}\p{N}]+$/u.test(text) ? undefined : 'Letters and digits only.';
}
