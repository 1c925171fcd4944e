import { compose } from '../../compose.ts';
import { isCancellation, SlipwayError } from '../../base/errors.ts';
import { exitCodes, runCli } from './run-cli.ts';
import { isReaderGone, listenForInterrupts } from './interrupts.ts';
import { formatError } from './output.ts';

using interrupts = listenForInterrupts(process, () => performance.now());
interrupts.force.addEventListener('abort', () => {
  process.stderr.write(
    'Forced: left as it is. "slipway leftovers" shows what remains, "slipway reset pods" restores it.\n',
  );
  process.exit(exitCodes.forced);
});
let readerGone = false;
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: Error) => {
    if (!isReaderGone(error)) throw error;
    // No failure to report, and no reason to leave: a session has a workload to put back.
    readerGone = true;
    interrupts.requestStop();
  });
}
const [command] = process.argv.slice(2);
// Completion runs at a key press: nothing may ask for a password then.
const mayAsk = process.stdin.isTTY && command !== '__complete';

try {
  process.exitCode = await runCli(process.argv.slice(2), {
    services: compose({
      environment: process.env,
      platform: process.platform,
      interaction: mayAsk ? { stdin: 'inherit', stderr: process.stderr } : undefined,
    }),
    terminal: process,
    interrupts,
    workingFolder: process.cwd(),
    input: process.stdin,
  });
} catch (error) {
  if (error instanceof SlipwayError) process.stderr.write(`${formatError(error.toValue())}\n`);
  else if (!isCancellation(error) && !isReaderGone(error)) throw error;
  process.exitCode = error instanceof SlipwayError ? exitCodes.failed : exitCodes.cancelled;
}
if (readerGone && process.exitCode === exitCodes.cancelled) process.exitCode = exitCodes.ok;
// What a command left behind would keep the process alive; everything of value is closed by now.
process.stdout.write('', () => process.exit());
