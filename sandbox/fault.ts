/**
 * What a person can act on: what is wrong and the next step, printed without a stack trace.
 * Anything else that is thrown is a bug of the sandbox and keeps its trace.
 */
export class SandboxFault extends Error {
  readonly nextStep: string;

  constructor(message: string, nextStep: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'SandboxFault';
    this.nextStep = nextStep;
  }
}
