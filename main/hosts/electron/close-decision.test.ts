import { expect, test } from 'vitest';
import { decideClose, leftBehind } from './close-decision.ts';

test('without sessions the app ends', () => {
  expect(decideClose({ sessions: [], stopping: false })).toEqual({ kind: 'quit' });
  expect(decideClose({ sessions: [], stopping: true })).toEqual({ kind: 'quit' });
});

test('running sessions are listed, and staying is the default', () => {
  const decision = decideClose({ sessions: ['web in shop (staging)'], stopping: false });
  expect(decision).toEqual({
    kind: 'ask-to-stop',
    question: {
      message: 'One session is running.',
      detail: '• web in shop (staging)\n\nQuitting stops it and puts the workload back as before.',
      buttons: ['Cancel', 'Stop and Quit'],
    },
  });
});

test('a second wish to quit says what leaving now means', () => {
  const decision = decideClose({ sessions: ['web in shop', 'api in shop'], stopping: true });
  expect(decision).toMatchObject({
    kind: 'ask-to-leave',
    question: { message: '2 sessions are still being stopped.', buttons: ['Keep Waiting', 'Quit Now'] },
  });
});

test('a long list is cut with its count', () => {
  const { detail } = leftBehind(Array.from({ length: 12 }, (_, index) => `Deployment/web-${index}`));
  expect(detail.split('\n').slice(7, 10)).toEqual(['• Deployment/web-7', 'and 4 more', '']);
});
