import { Text } from './text.tsx';
import { localSentence } from './time-text.ts';

/** A sentence from main, with the times that it marks as `{{ISO 8601}}` written as the user's clock shows them. */
export function Sentence({ text }: { readonly text: string }) {
  return <Text value={localSentence(text, new Date())} />;
}
