import { Component, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import styles from './page-boundary.module.css';

interface Props {
  /** What it keeps within itself, like "The list of namespaces". */
  readonly name: string;
  /** When it changes, what broke is tried again. */
  readonly again?: string | undefined;
  readonly children: ReactNode;
}

/** Keeps what breaks in one part of the frame within it, so that the page and the other parts go on. */
export class PartBoundary extends Component<Props, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true };
  }

  override componentDidUpdate(before: Props): void {
    if (this.state.failed && before.again !== this.props.again) this.setState({ failed: false });
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <div className={styles['part']} role="alert">
        <p>{this.props.name} has stopped: a mistake in Slipway broke it. Sessions and pages go on.</p>
        <Button small local onClick={() => this.setState({ failed: false })}>
          Show It Again
        </Button>
      </div>
    );
  }
}
