import { describe, expect, it } from 'vitest';
import { createQuestions, maximumQuestions } from './questions.ts';

const question = {
  title: 'Run it?',
  text: ['It would run.'],
  choices: [
    { id: 'no', label: 'Do Not Run', danger: false },
    { id: 'yes', label: 'Run', danger: true },
  ],
};
const { signal } = new AbortController();

describe('a question', () => {
  it('is seen until the first answer, which counts', async () => {
    using questions = createQuestions();
    const asked = questions.ask(question, { signal });
    const [id = ''] = Object.keys(questions.value.items);
    expect(questions.value.items[id]).toEqual({ ...question, id });
    questions.answer(id, 'yes');
    questions.answer(id, 'no');
    expect(questions.value.items).toEqual({});
    expect(await asked).toBe('yes');
  });

  it('takes only an answer that it has', async () => {
    using questions = createQuestions();
    const asked = questions.ask(question, { signal });
    const [id = ''] = Object.keys(questions.value.items);
    expect(() => questions.answer(id, 'maybe')).toThrow(expect.objectContaining({ code: 'usage.invalid' }));
    questions.answer(id, 'no');
    expect(await asked).toBe('no');
  });

  it.each(['constructor', '__proto__', 'toString', 'question-9'])('is not the one that %s names', (id) => {
    using questions = createQuestions();
    expect(() => questions.answer(id, 'yes')).not.toThrow();
  });

  it('is withdrawn when whoever asked gives up', async () => {
    using questions = createQuestions();
    const stop = new AbortController();
    const asked = questions.ask(question, { signal: stop.signal });
    stop.abort();
    await expect(asked).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    expect(questions.value.items).toEqual({});
    await expect(questions.ask(question, { signal: stop.signal })).rejects.toThrow();
    expect(questions.value.items).toEqual({});
  });

  it('is refused when too many stand open', async () => {
    using questions = createQuestions();
    const all = Array.from({ length: maximumQuestions }, () => questions.ask(question, { signal }));
    await expect(questions.ask(question, { signal })).rejects.toMatchObject({ code: 'consent.refused' });
    for (const id of Object.keys(questions.value.items)) questions.answer(id, 'no');
    expect(await Promise.all(all)).toHaveLength(maximumQuestions);
  });
});
