import { useRef } from 'react';
import type { Question } from '../../contract/app.ts';
import { useAction } from '../ipc/client.ts';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorBox } from '../ui/error-box.tsx';
import { Text } from '../ui/text.tsx';

/** Asks what main may not decide alone, one question after the other. The first choice is the default. */
export function Questions({ questions }: { readonly questions: readonly Question[] }) {
  const question = questions[0];
  return question === undefined ? null : (
    <AskedQuestion key={question.id} question={question} waiting={questions.length - 1} />
  );
}

function AskedQuestion({ question, waiting }: { readonly question: Question; readonly waiting: number }) {
  const answer = useAction();
  const first = useRef<HTMLButtonElement>(null);
  const { id, title, text, code, choices } = question;
  return (
    <Dialog
      open
      insistent
      title={<Text value={title} />}
      onClose={() => undefined}
      initialFocus={first}
      actions={choices.toReversed().map((choice) => {
        const isDefault = choice.id === choices[0]?.id;
        return (
          <Button
            key={choice.id}
            kind={choice.danger ? 'danger' : isDefault ? 'primary' : 'default'}
            pending={answer.pending}
            ref={isDefault ? first : undefined}
            onClick={() => void answer.run('app.answer', { id, choice: choice.id })}
          >
            {choice.label}
          </Button>
        );
      })}
    >
      {text.map((paragraph, index) => (
        <p key={index}>
          <Text value={paragraph} lines />
        </p>
      ))}
      {code === undefined ? null : <CodeBlock label="What would run" text={code} />}
      {waiting > 0 ? (
        <p>{waiting === 1 ? 'One more question waits.' : `${waiting} more questions wait.`}</p>
      ) : null}
      {answer.error === undefined ? null : <ErrorBox error={answer.error} />}
    </Dialog>
  );
}
