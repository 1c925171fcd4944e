import { lazy } from 'react';
import { useRemote } from '../ipc/client.ts';

const Questions = lazy(async () => ({ default: (await import('./questions.tsx')).Questions }));

/** What main may not decide alone: every window asks until one of them answers. */
export function OpenQuestions() {
  const items = useRemote('app.questions', {}).value?.items;
  const questions = Object.values(items ?? {});
  return questions.length === 0 ? null : <Questions questions={questions} />;
}
