import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { systemClock } from '../base/clock.ts';
import { isSlipwayError, SlipwayError } from '../base/errors.ts';
import type { ExecStatus, ExecStream, Kube, PodTarget } from '../kube/kube.ts';
import type { HelperAssets, HelperBinary } from './assets.ts';
import { safeText } from './check-message.ts';
import { parseProbe, probeLimit, probeScript, type ProbeResult } from './probe.ts';
import { runCommand, type CommandResult } from './run-command.ts';

const decompress = promisify(gunzip);

/** The probe is a handful of calls in the container; the upload is 5 MB over a link that may be slow. */
const probeTimeoutMs = 20_000;
const transferTimeoutMs = 180_000;
const discardMs = 5_000;
/** Bytes of the lines before the helper that is read back. */
const prologueLimit = 4096;
/** Bytes of a helper that is read back, after decompression. */
const plainLimit = 64 * 1024 * 1024;

export interface InjectHelperOptions {
  readonly kube: Pick<Kube, 'exec'>;
  readonly target: PodTarget;
  /** Names the helper's folder: letters, digits and '-', at most 64. The same session finds its folder again. */
  readonly session: string;
  readonly assets: HelperAssets;
  readonly signal?: AbortSignal | undefined;
}

/** A verified helper in a container. */
export interface InjectedHelper {
  readonly folder: string;
  readonly path: string;
  readonly architecture: string;
  /** It was there already and nothing was sent. */
  readonly reused: boolean;
}

/**
 * Puts the helper into a container that has a shell, `cat`, `mkdir` and `chmod`, or finds it there. What arrived is
 * read back and hashed here, never believed by its version. Rejects with `image.no-shell`, `helper.not-runnable`,
 * `helper.corrupted`, or what the cluster said.
 */
export async function injectHelper(options: InjectHelperOptions): Promise<InjectedHelper> {
  if (!/^[a-zA-Z0-9-]{1,64}$/.test(options.session)) throw new Error('A session name that is not acceptable');
  const { probe, canHalfClose } = await probeContainer(options);
  const { found } = probe;
  if (found === undefined) throw noFolder(probe.skipped);
  const binary = await options.assets.load(found.architecture);
  if (binary === undefined) throw notRunnable(`It is built for amd64 and arm64, the container runs ${found.architecture}.`);
  const path = `${found.folder}/helper-${binary.sha256.slice(0, 16)}`;
  const helper = { folder: found.folder, path, architecture: found.architecture };
  if (found.existed && (await verify(options, probe, path, binary)).kind === 'same') return { ...helper, reused: true };
  try {
    const send = canHalfClose ? upload : uploadWithoutEnd;
    const result = await send(options, probe, path, binary);
    if (result.kind === 'different') throw corrupted(result.why);
  } catch (error) {
    if (!found.existed) await discard(options, found.folder);
    throw error;
  }
  return { ...helper, reused: false };
}

/** Takes back the folder of an upload that failed. An image without `rm`, or a lost connection, leaves it there. */
async function discard({ kube, target }: InjectHelperOptions, folder: string): Promise<void> {
  const command = ['sh', '-c', 'rm -rf -- "$1"', 'sh', folder];
  await runCommand({ kube, target, command, limit: 4096, timeoutMs: discardMs }).catch(() => undefined);
}

async function probeContainer(
  options: InjectHelperOptions,
): Promise<{ readonly probe: ProbeResult; readonly canHalfClose: boolean }> {
  let parsed: ProbeResult | string | undefined;
  const result = await runCommand({
    ...options,
    command: ['sh', '-c', probeScript, 'sh', `.slipway-${options.session}`],
    limit: probeLimit + 1024 * 1024,
    timeoutMs: probeTimeoutMs,
    enough: (output) => {
      parsed = parseProbe(output, false);
      return parsed !== undefined;
    },
  });
  parsed ??= parseProbe(result.output, true);
  if (typeof parsed === 'object') return { probe: parsed, canHalfClose: result.canHalfClose };
  throw noShell(result, parsed ?? '');
}

type Verdict = { readonly kind: 'same' } | { readonly kind: 'different'; readonly why: string };

/** Runs the helper once and reads it back, compressed where that is possible. */
const verifyLines = (gzip: boolean): string => `
"$1" version >/dev/null
echo "code=$?"
${gzip ? 'exec gzip -c <"$1"' : 'exec cat "$1"'}
`;

async function verify(
  options: InjectHelperOptions,
  probe: ProbeResult,
  path: string,
  binary: HelperBinary,
): Promise<Verdict> {
  const result = await runCommand({
    ...options,
    command: ['sh', '-c', `[ -f "$1" ] || { echo code=127; exit 0; }\nchmod 700 "$1"\n${verifyLines(probe.gzip)}`, 'sh', path],
    limit: binary.content.length + prologueLimit,
    timeoutMs: transferTimeoutMs,
  });
  return judge(result, probe, binary);
}

/** Standard output stays open until the end: some runtimes drop the rest of the input once it is closed. */
async function upload(
  options: InjectHelperOptions,
  probe: ProbeResult,
  path: string,
  binary: HelperBinary,
): Promise<Verdict> {
  const receive = probe.gzip ? 'gzip -dc' : 'cat';
  const content = probe.gzip ? binary.compressed : binary.content;
  try {
    const result = await runCommand({
      ...options,
      command: ['sh', '-c', `umask 077\n${receive} >"$1" && chmod 700 "$1"\n${verifyLines(probe.gzip)}`, 'sh', path],
      limit: binary.content.length + prologueLimit,
      timeoutMs: transferTimeoutMs,
      input: async (stream) => {
        if (!stream.canHalfClose) throw new NoHalfClose();
        await write(stream, content);
        stream.stdin?.end();
      },
    });
    return await judge(result, probe, binary);
  } catch (error) {
    if (error instanceof NoHalfClose) return uploadWithoutEnd(options, probe, path, binary);
    throw error;
  }
}

/** The server cannot be told that the input has ended. */
class NoHalfClose extends Error {}

/**
 * Looks at what has arrived until it is whole, then ends the receiving command by hanging up. The shell stays while
 * `cat` receives, so that standard output stays open here too.
 */
async function uploadWithoutEnd(
  options: InjectHelperOptions,
  probe: ProbeResult,
  path: string,
  binary: HelperBinary,
): Promise<Verdict> {
  const { kube, target, signal } = options;
  const command = ['sh', '-c', 'umask 077\ncat >"$1"\n:', 'sh', path];
  const stream = await kube.exec(target, { command, stdin: true, signal });
  try {
    stream.stdout.on('error', () => undefined).resume();
    stream.stderr?.on('error', () => undefined).resume();
    await write(stream, binary.content);
    await looksUntil(options, async () => {
      const result = await runCommand({
        ...options,
        command: ['sh', '-c', probe.gzip ? 'gzip -c <"$1"' : 'cat "$1"', 'sh', path],
        limit: binary.content.length + prologueLimit,
        timeoutMs: transferTimeoutMs,
      });
      return (await hashOf(result.output, probe.gzip)) === binary.sha256;
    });
  } finally {
    await stream[Symbol.asyncDispose]();
  }
  let verdict: Verdict = { kind: 'different', why: 'It did not arrive.' };
  await looksUntil(options, async () => {
    verdict = await verify(options, probe, path, binary).catch((error: unknown): Verdict => {
      // It cannot be run while the receiving command still has it open.
      if (isSlipwayError(error, 'helper.not-runnable')) return { kind: 'different', why: error.causeText };
      throw error;
    });
    return verdict.kind === 'same';
  });
  return verdict;
}

async function looksUntil(options: InjectHelperOptions, look: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 10; tries += 1) {
    if (await look()) return;
    await systemClock.sleep(200 * (tries + 1), options.signal);
  }
}

async function write(stream: ExecStream, content: Buffer): Promise<void> {
  const { stdin } = stream;
  if (stdin === undefined) throw new Error('An exec without standard input');
  await new Promise<void>((resolve, reject) => {
    stdin.on('error', reject);
    stdin.write(content, (error) => (error ? reject(error) : resolve()));
  });
}

/** Takes the line `code=N` and the helper's bytes after it. */
async function judge(result: CommandResult, probe: ProbeResult, binary: HelperBinary): Promise<Verdict> {
  const end = result.output.indexOf(0x0a);
  const code = /^code=(\d{1,3})$/.exec(result.output.toString('utf8', 0, Math.max(end, 0)))?.[1];
  if (code === undefined) return { kind: 'different', why: `The shell gave no answer. ${result.diagnostics}`.trim() };
  if (code === '127') return { kind: 'different', why: 'It is not there.' };
  if ((await hashOf(result.output.subarray(end + 1), probe.gzip)) !== binary.sha256) {
    return { kind: 'different', why: `What is there is not what was sent. ${result.diagnostics}`.trim() };
  }
  if (code === '0') return { kind: 'same' };
  const architecture = probe.found?.architecture ?? 'unknown';
  throw notRunnable(
    `It exited with code ${code}${meaning[code] ?? ''}; it is built for ${architecture}, the CPU of the container's own programs. ${result.diagnostics}`.trim(),
  );
}

const meaning: Readonly<Record<string, string>> = {
  126: ' (the system refuses to run it)',
  132: ' (illegal instruction)',
  139: ' (segmentation fault)',
};

async function hashOf(content: Buffer, gzip: boolean): Promise<string> {
  try {
    const plain = gzip ? await decompress(content, { maxOutputLength: plainLimit }) : content;
    return createHash('sha256').update(plain).digest('hex');
  } catch {
    return 'not readable';
  }
}

function noShell(result: CommandResult, why: string): SlipwayError {
  return new SlipwayError({
    code: 'image.no-shell',
    message: 'The container has no shell that the helper could be put in place with.',
    cause: [describe(result.status), result.diagnostics, why].filter((part) => part !== '').join(' '),
    next: 'Use an image with a shell for development: a debug variant of the image, or another one in the dev settings.',
  });
}

function describe(status: ExecStatus | undefined): string {
  if (status?.kind === 'failed') return safeText(status.message);
  if (status?.kind === 'exited') return `The shell exited with code ${status.code}.`;
  return status?.kind === 'lost' ? safeText(status.error.message) : '';
}

function noFolder(skipped: readonly string[]): SlipwayError {
  return new SlipwayError({
    code: 'helper.not-runnable',
    message: 'The container has no folder that the helper can be put into and run from.',
    cause: safeText(skipped.join('; ')),
    next: 'Mount an emptyDir at /tmp, or set securityContext.readOnlyRootFilesystem of the container to false for development.',
  });
}

function notRunnable(cause: string): SlipwayError {
  return new SlipwayError({
    code: 'helper.not-runnable',
    message: 'The helper does not run in the container.',
    cause: safeText(cause),
    next: 'Use an image for linux/amd64 or linux/arm64 that matches the node, without emulation.',
  });
}

function corrupted(cause: string): SlipwayError {
  return new SlipwayError({
    code: 'helper.corrupted',
    message: 'The helper did not arrive whole in the container.',
    cause: safeText(cause),
    next: 'Try again; if it happens again, see whether the disk in the container is full.',
  });
}
