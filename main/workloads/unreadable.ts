import type { KubernetesObject } from '@kubernetes/client-node';
import { leftOutNote, readableName } from '../kube/readable-object.ts';
import type { ListingWords } from './listing-state.ts';

/**
 * Reads objects one by one. One that makes no sense is left out and told by its name: a server of another kind, or a
 * newer one, must not take the others with it.
 */
export function readEach<Source extends KubernetesObject, Result>(
  objects: Iterable<Source>,
  read: (object: Source) => Result,
): { readonly results: readonly Result[]; readonly unreadable: readonly string[] } {
  const results: Result[] = [];
  const unreadable: string[] = [];
  for (const object of objects) {
    try {
      results.push(read(object));
    } catch {
      unreadable.push(readableName(object));
    }
  }
  return { results, unreadable };
}

/** The words of a listing that leaves objects out because they make no sense. */
export function withUnreadable(words: ListingWords, unreadable: readonly string[]): ListingWords {
  const note = leftOutNote(unreadable);
  if (note === undefined) return words;
  const state = words.state === 'ready' ? 'partial' : words.state;
  return { ...words, state, notes: [...(words.notes ?? []), note] };
}
