import { compose } from '../../compose.ts';
import { isCancellation, SlipwayError } from '../../base/errors.ts';
import { exitCodes, runCli } from './run-cli.ts';
import { listenForInterrupts } from './interrupts.ts';
import { formatError } from './output.ts';

using interrupts = listenForInterrupts(process, () => performance.now());
interrupts.force.addEventListener('abort', () => {
  process.stderr.write(
    'Forced: left as it is. "slipway leftovers" shows what remains, "slipway reset pods" restores it.\n',
  );
  process.exit(exitCodes.forced);
});
// A closed pipe (`slipway … | head`) ends the command, it is no failure to report.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.ok);
  throw error;
});

try {
  process.exitCode = await runCli(process.argv.slice(2), {
    services: compose({
      environment: process.env,
      platform: process.platform,
      interaction: process.stdin.isTTY ? { stdin: 'inherit', stderr: process.stderr } : undefined,
    }),
    terminal: process,
    interrupts,
    workingFolder: process.cwd(),
    input: process.stdin,
  });
} catch (error) {
  if (error instanceof SlipwayError) process.stderr.write(`${formatError(error.toValue())}\n`);
  else if (!isCancellation(error)) throw error;
  process.exitCode = isCancellation(error) ? exitCodes.cancelled : exitCodes.failed;
}
// What a command left behind would keep the process alive; everything of value is closed by now.
process.stdout.write('', () => process.exit());
