import { Component, type ErrorInfo, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { isLoadFailure } from './load-failure.ts';
import styles from './page-boundary.module.css';

interface Props {
  readonly children: ReactNode;
}

interface State {
  readonly failure: unknown;
  readonly stack: string;
}

/** Keeps what breaks in one page within it: shows what happened, to copy, and a way to begin the page anew. */
export class PageBoundary extends Component<Props, State> {
  override state: State = { failure: undefined, stack: '' };

  static getDerivedStateFromError(failure: unknown): State {
    return { failure: failure ?? 'unknown', stack: '' };
  }

  override componentDidCatch(_failure: unknown, info: ErrorInfo): void {
    this.setState({ stack: info.componentStack ?? '' });
  }

  override render(): ReactNode {
    const { failure, stack } = this.state;
    if (failure === undefined) return this.props.children;
    if (isLoadFailure(failure)) return <NotLoaded />;
    return (
      <div className={styles['crash']} role="alert">
        <h1 className={styles['title']}>This page has stopped</h1>
        <p>
          A mistake in Slipway broke the page. Your sessions go on, and the other pages work. Reload the page;
          if it stops again, report what is below.
        </p>
        <div className={styles['actions']}>
          <Button kind="primary" local onClick={() => this.setState({ failure: undefined, stack: '' })}>
            Reload Page
          </Button>
        </div>
        <CodeBlock label="Details" text={detailsOf(failure, stack)} />
      </div>
    );
  }
}

/** What did not come once is not asked for again by its page until the whole window is loaded anew. */
function NotLoaded() {
  return (
    <div className={styles['crash']} role="alert">
      <h1 className={styles['title']}>This page could not be loaded</h1>
      <p>
        Slipway’s main process did not hand it over: it is gone, or it was started anew. Pages that were shown
        before can still be read. Load the window again once main is back.
      </p>
      <div className={styles['actions']}>
        <Button kind="primary" onClick={() => location.reload()}>
          Load Window Again
        </Button>
      </div>
    </div>
  );
}

function detailsOf(failure: unknown, stack: string): string {
  const message = failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
  return `${message}\n${stack.trimEnd()}`.trim();
}
