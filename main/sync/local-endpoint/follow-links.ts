import { readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { isSlipwayError } from '../../base/errors.ts';
import { Emitter, type Event } from '../../base/event.ts';
import type { Change } from '../change.ts';
import type { ApplyOptions, Endpoint, FilePart, Hint, Inspection, ReadFiles, Scan } from '../endpoint.ts';
import type { Entry, Problem } from '../entry.ts';
import { linkProblem } from '../paths.ts';
import { wordsOf } from './scan-disk.ts';

export interface FollowLinksOptions {
  /** The pair's folder, links resolved. */
  readonly root: string;
  readonly main: Endpoint;
  readonly clock: Pick<Clock, 'timer'>;
  /** Whether the user wants what a link leads to. */
  readonly approved: (path: string) => boolean;
  /** Opens what a link leads to: a folder, or one file of a folder. `at` is where the link is in the pair. */
  readonly open: (folder: string, at: string, singleName: string | undefined) => Promise<Endpoint>;
}

/** More links than this are not followed: each has watches of its own. */
const followedLimit = 64;
const listedLinks = 20;
/** How often a link is looked at that leads nowhere. */
const retryMs = 5_000;

/** What one followed link leads to. */
interface Followed {
  /** Where the link is in the pair. */
  readonly path: string;
  /** What the link says; another text is another link. */
  readonly text: string;
  readonly endpoint: Endpoint;
  /** Set where it leads to a file. */
  readonly singleName: string | undefined;
  /** Real folders from the pair's root to what it leads to: none of them is followed again. */
  readonly chain: readonly string[];
  readonly listening: readonly Disposable[];
}

/** The laptop's side with what its approved links lead to, read only: nothing is ever written through a link. */
export interface FollowingEndpoint extends Endpoint {
  /** At or below a link that is followed. */
  covers(path: string): boolean;
}

export function followLinks(options: FollowLinksOptions): FollowingEndpoint {
  return new LinkFollower(options);
}

class LinkFollower implements FollowingEndpoint {
  readonly #options: FollowLinksOptions;
  readonly #followed = new Map<string, Followed>();
  readonly #hints = new Emitter<Hint>();
  readonly #notices = new Emitter<string>();
  readonly #listening: readonly Disposable[];
  readonly #retries = new Map<string, Disposable>();
  #told = '';
  readonly onHint = this.#hints.event;
  /** The folder's own are passed on by itself: it keeps what it says before anybody listens. */
  readonly onNotice: Event<string> = (listener) => {
    const subscriptions = [this.#options.main.onNotice(listener), this.#notices.event(listener)];
    return {
      [Symbol.dispose]: () => {
        for (const subscription of subscriptions) subscription[Symbol.dispose]();
      },
    };
  };
  readonly read: ReadFiles;

  constructor(options: FollowLinksOptions) {
    this.#options = options;
    const { main } = options;
    this.#listening = [main.onHint((hint) => this.#hints.fire(hint))];
    this.read = (paths, more) => this.#read(paths, more);
  }

  get root() {
    return this.#options.main.root;
  }
  get clockOffsetMs() {
    return this.#options.main.clockOffsetMs;
  }
  get umask() {
    return this.#options.main.umask;
  }
  get lost() {
    return this.#options.main.lost;
  }

  covers(path: string): boolean {
    if (this.#followed.size === 0) return false;
    return this.#ownerOf(path) !== undefined || this.#followed.has(path);
  }

  async scan(
    options: { readonly below?: readonly string[]; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Scan> {
    const { main } = this.#options;
    const { below, signal } = options;
    const own = below?.filter((path) => this.#ownerOf(path) === undefined);
    const scan: Scan =
      own?.length === 0
        ? { entries: new Map<string, Entry>(), problems: [], root: main.root, moved: false }
        : await main.scan({ ...options, ...(own === undefined ? {} : { below: own }) });
    const entries = new Map(scan.entries);
    const problems = [...scan.problems];
    let moved = scan.moved;
    const take = async (followed: Followed, inside: readonly string[] | undefined): Promise<void> => {
      const found = await this.#scanInto(followed, inside, signal);
      for (const [path, entry] of found.entries) entries.set(path, entry);
      problems.push(...found.problems);
      moved ||= found.moved;
    };
    const unfollowed: string[] = [];
    for (const [path, entry] of scan.entries) {
      if (entry.kind === 'symlink')
        await this.#decide(
          path,
          path,
          entry.target,
          [this.#options.root],
          take,
          entries,
          problems,
          unfollowed,
        );
    }
    for (const path of below ?? []) {
      const owner = this.#ownerOf(path);
      if (owner !== undefined) await take(owner, [insideOf(owner, path)]);
    }
    if (below === undefined) {
      this.#dropUnseen(entries);
      this.#tellUnfollowed(unfollowed);
    }
    return { entries, problems, root: scan.root, moved };
  }

  async inspect(
    paths: readonly string[],
    options: { readonly digest: boolean; readonly signal?: AbortSignal | undefined },
  ): Promise<Inspection> {
    const entries = new Map<string, Entry | undefined>();
    const problems: Problem[] = [];
    const again: string[] = [];
    const byOwner = new Map<Followed | undefined, string[]>();
    for (const path of paths) {
      const owner = this.#ownerOf(path);
      const list = byOwner.get(owner) ?? [];
      list.push(path);
      byOwner.set(owner, list);
    }
    for (const [owner, asked] of byOwner) {
      if (owner === undefined) await this.#inspectOwn(asked, options, entries, problems);
      else if (!this.#stillThere(owner)) for (const path of asked) entries.set(path, undefined);
      else {
        const found = await owner.endpoint
          .inspect(
            asked.map((path) => insideOf(owner, path)),
            options,
          )
          .catch((error: unknown) => this.#lose(owner, error));
        if ('lost' in found) {
          problems.push(found.lost);
          continue;
        }
        for (const [inside, entry] of found.entries) {
          const path = outsideOf(owner, inside);
          if (entry?.kind !== 'symlink' || linkProblem(inside, entry.target) === undefined)
            entries.set(path, entry);
          else if (this.#options.approved(path)) again.push(owner.path);
        }
        problems.push(
          ...found.problems.map((problem) => ({ ...problem, path: outsideOf(owner, problem.path) })),
        );
      }
    }
    // A link below a link is judged by a scan alone.
    if (again.length > 0) this.#hints.fire({ paths: again, folders: again, overflow: false });
    return { entries, problems };
  }

  async apply(changes: readonly Change[], options: ApplyOptions): Promise<void> {
    const open: Change[] = [];
    for (const change of changes) {
      const touched = change.kind === 'rename' ? [change.path, change.to] : [change.path];
      if (!touched.some((path) => this.covers(path))) open.push(change);
      else options.onOutcome(change, { kind: 'refused', message: 'Nothing is written through a link' });
    }
    if (open.length > 0) await this.#options.main.apply(open, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const listening of this.#listening) listening[Symbol.dispose]();
    for (const timer of this.#retries.values()) timer[Symbol.dispose]();
    for (const path of [...this.#followed.keys()]) this.#drop(path);
    await this.#options.main[Symbol.asyncDispose]();
    this.#hints[Symbol.dispose]();
    this.#notices[Symbol.dispose]();
  }

  async *#read(paths: readonly string[], more: Parameters<ReadFiles>[1]): AsyncGenerator<FilePart> {
    for (let index = 0; index < paths.length;) {
      const owner = this.#followed.get(paths[index] ?? '') ?? this.#ownerOf(paths[index] ?? '');
      const run: string[] = [];
      for (; index < paths.length; index++) {
        const path = paths[index] ?? '';
        if ((this.#followed.get(path) ?? this.#ownerOf(path)) !== owner) break;
        run.push(path);
      }
      if (owner === undefined) yield* this.#options.main.read(run, more);
      else {
        const inside = new Map(run.map((path) => [insideOf(owner, path), path]));
        const { acceptChanging, bases, ...rest } = more ?? {};
        const parts = owner.endpoint.read([...inside.keys()], {
          ...rest,
          acceptChanging:
            acceptChanging &&
            new Set(run.filter((path) => acceptChanging.has(path)).map((path) => insideOf(owner, path))),
          bases:
            bases &&
            new Map(
              [...bases]
                .filter(([path]) => run.includes(path))
                .map(([path, base]) => [insideOf(owner, path), base]),
            ),
        });
        for await (const part of parts) yield { ...part, path: inside.get(part.path) ?? part.path };
      }
    }
  }

  async #inspectOwn(
    asked: readonly string[],
    options: { readonly digest: boolean; readonly signal?: AbortSignal | undefined },
    entries: Map<string, Entry | undefined>,
    problems: Problem[],
  ): Promise<void> {
    const found = await this.#options.main.inspect(asked, options);
    problems.push(...found.problems);
    for (const [path, entry] of found.entries) {
      const known = this.#followed.get(path);
      if (known !== undefined && (entry?.kind !== 'symlink' || entry.target !== known.text)) this.#drop(path);
      entries.set(path, entry);
      if (entry?.kind !== 'symlink') continue;
      const inside = new Map<string, Entry>();
      const take = async (followed: Followed): Promise<void> => {
        if (followed.singleName === undefined) return;
        const { singleName } = followed;
        const file = await followed.endpoint.inspect([singleName], options);
        const there = file.entries.get(singleName);
        if (there !== undefined) inside.set(path, there);
      };
      const trouble: Problem[] = [];
      await this.#decide(path, path, entry.target, [this.#options.root], take, inside, trouble, []);
      const instead = inside.get(path);
      if (instead !== undefined) entries.set(path, instead);
      // What cannot be followed now is not known to be gone.
      if (trouble.length > 0) entries.delete(path);
      problems.push(...trouble);
    }
  }

  /** Follows a link where it points outside and the user wants it: its entry becomes that of what it leads to. */
  async #decide(
    path: string,
    inside: string,
    text: string,
    chain: readonly string[],
    take: (followed: Followed, inside: readonly string[] | undefined) => Promise<void>,
    entries: Map<string, Entry>,
    problems: Problem[],
    unfollowed: string[],
  ): Promise<void> {
    const problem = linkProblem(inside, text);
    if (problem === undefined) return;
    if (!this.#options.approved(path)) {
      unfollowed.push(`${path} → ${text}`);
      // Neither side of it is touched: what was uploaded when it was followed stays, and nothing comes in its place.
      problems.push({ path, message: `Not synced: ${problem}` });
      entries.delete(path);
      return;
    }
    const fail = (message: string): void => {
      problems.push({ path, message });
      entries.delete(path);
      this.#lookAgainLater(path);
    };
    try {
      const followed = this.#followed.get(path) ?? (await this.#follow(path, text, chain));
      if (typeof followed === 'string') return fail(followed);
      const stat = statSync(join(this.#options.root, path), { bigint: true });
      if (stat.isDirectory())
        entries.set(path, { kind: 'directory', mode: Number(stat.mode) & 0o7777, inode: stat.ino });
      await take(followed, undefined);
    } catch (error) {
      this.#drop(path);
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined && !isSlipwayError(error)) throw error;
      fail(`What the link leads to cannot be read: ${wordsOf(error)}`);
    }
  }

  async #follow(path: string, text: string, chain: readonly string[]): Promise<Followed | string> {
    const full = join(this.#options.root, path);
    let real: string;
    try {
      real = realpathSync(full);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ELOOP') return 'The link leads in a circle';
      if (code === 'ENOENT' || code === 'ENOTDIR') return 'The link leads nowhere';
      throw error;
    }
    const isFolder = statSync(real).isDirectory();
    const places = [...chain, realpathSync(dirname(full))];
    if (
      isFolder &&
      places.some((place) => place === real || place.startsWith(`${real === '/' ? '' : real}/`))
    )
      return 'The link leads to a folder that holds it: following it would never end';
    if (!isFolder && !statSync(real).isFile()) return 'The link leads to what is neither a folder nor a file';
    if (this.#followed.size >= followedLimit) return `More than ${followedLimit} links are not followed`;
    const singleName = isFolder ? undefined : real.slice(dirname(real).length).replace(/^\//, '');
    const endpoint = await this.#options.open(isFolder ? real : dirname(real), path, singleName);
    const followed: Followed = {
      path,
      text,
      endpoint,
      singleName,
      chain: [...chain, real],
      listening: [
        endpoint.onHint((hint) => this.#hints.fire(hintOf(followed, hint))),
        endpoint.onNotice((message) => this.#notices.fire(message)),
      ],
    };
    this.#followed.set(path, followed);
    return followed;
  }

  /** Everything below a followed link, further links of it included. */
  async #scanInto(
    followed: Followed,
    below: readonly string[] | undefined,
    signal: AbortSignal | undefined,
  ): Promise<{
    readonly entries: Map<string, Entry>;
    readonly problems: Problem[];
    readonly moved: boolean;
  }> {
    const entries = new Map<string, Entry>();
    const problems: Problem[] = [];
    const inside = below?.filter((path) => path !== '');
    const scan = await followed.endpoint.scan({
      signal,
      ...(inside === undefined || inside.length < (below?.length ?? 0) ? {} : { below: inside }),
    });
    let { moved } = scan;
    for (const [path, entry] of scan.entries) entries.set(outsideOf(followed, path), entry);
    for (const problem of scan.problems)
      problems.push({ ...problem, path: outsideOf(followed, problem.path) });
    for (const [path, entry] of scan.entries) {
      if (entry.kind !== 'symlink') continue;
      const outside = outsideOf(followed, path);
      const take = async (next: Followed): Promise<void> => {
        const found = await this.#scanInto(next, undefined, signal);
        for (const [each, there] of found.entries) entries.set(each, there);
        problems.push(...found.problems);
        moved ||= found.moved;
      };
      await this.#decide(outside, path, entry.target, followed.chain, take, entries, problems, []);
    }
    return { entries, problems, moved };
  }

  /** The followed link that this path is below of; the innermost, where one is below another. */
  #ownerOf(path: string): Followed | undefined {
    if (this.#followed.size === 0) return undefined;
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const followed = this.#followed.get(path.slice(0, slash));
      if (followed !== undefined) return followed;
    }
    return undefined;
  }

  #stillThere(followed: Followed): boolean {
    try {
      if (readlinkSync(join(this.#options.root, followed.path)) === followed.text) return true;
    } catch {
      // It is gone, or something else by now.
    }
    this.#drop(followed.path);
    return false;
  }

  /** What a link led to is gone or cannot be read: nothing that was there counts as deleted. */
  #lose(followed: Followed, error: unknown): { readonly lost: Problem } {
    if (!isSlipwayError(error)) throw error;
    this.#drop(followed.path);
    this.#lookAgainLater(followed.path);
    return {
      lost: { path: followed.path, message: `What the link leads to cannot be read: ${error.message}` },
    };
  }

  /** Nothing tells when what a link leads to comes back. */
  #lookAgainLater(path: string): void {
    if (this.#retries.has(path)) return;
    const timer = this.#options.clock.timer(retryMs, () => {
      this.#retries.delete(path);
      this.#hints.fire({ paths: [path], folders: [path], overflow: false });
    });
    this.#retries.set(path, timer);
  }

  #dropUnseen(entries: ReadonlyMap<string, Entry>): void {
    for (const path of [...this.#followed.keys()]) if (!entries.has(path)) this.#drop(path);
  }

  #drop(path: string): void {
    for (const [each, followed] of [...this.#followed]) {
      if (each !== path && !each.startsWith(`${path}/`)) continue;
      this.#followed.delete(each);
      for (const listening of followed.listening) listening[Symbol.dispose]();
      void followed.endpoint[Symbol.asyncDispose]();
    }
  }

  #tellUnfollowed(links: readonly string[]): void {
    const shown = links.slice(0, listedLinks).join(', ');
    if (links.length === 0 || shown === this.#told) return;
    this.#told = shown;
    const more = links.length > listedLinks ? ` and ${links.length - listedLinks} more` : '';
    const what = links.length === 1 ? 'A link points' : `${links.length} links point`;
    this.#notices.fire(
      `${what} out of the folder and ${links.length === 1 ? 'is' : 'are'} not followed: ${shown}${more}. To upload what they lead to, name them with --follow-links.`,
    );
  }
}

/** A path of the pair as the endpoint behind the link names it; '' is the folder itself. */
function insideOf(followed: Followed, path: string): string {
  return followed.singleName ?? (path === followed.path ? '' : path.slice(followed.path.length + 1));
}

function outsideOf(followed: Followed, inside: string): string {
  return followed.singleName === undefined && inside !== '' ? `${followed.path}/${inside}` : followed.path;
}

/** Where events were lost, only what is behind this link has to be looked at again. */
function hintOf(followed: Followed, hint: Hint): Hint {
  const map = (path: string): string => outsideOf(followed, path);
  if (hint.overflow) return { paths: [followed.path], folders: [followed.path], overflow: false };
  return {
    paths: hint.paths.map(map),
    folders: hint.folders?.map(map),
    overflow: false,
  };
}
