import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyStrictly } from './apply.fixture.ts';
import { compareEntries, modePolicy } from './compare.ts';
import type { Entry } from './entry.ts';
import { entryOf } from './entry.fixture.ts';
import { compileGitLines } from './ignore/git-dialect.ts';
import type { ReconcileInput, Reconciliation } from './reconcile.ts';
import { reconcile } from './reconcile.ts';
import { createPathRules } from './rules.ts';
import type { Strategy } from './strategy.ts';
import { strategies } from './strategy.ts';
import { Tree, parentOf } from './tree.ts';

const modes = modePolicy(0o022, 0o022, true);
const noRules = createPathRules();

/** `a/b=1 c=d` and the like; folders on the way are made. */
function treeOf(text: string): Tree {
  const tree = new Tree();
  for (const item of text.split(' ').filter((word) => word !== '')) {
    const [path = '', code = ''] = item.split('=');
    const entry = entryOf(code);
    if (entry !== undefined) put(tree, path, entry);
  }
  return tree;
}

function put(tree: Tree, path: string, entry: Entry): void {
  const parent = parentOf(path);
  if (parent !== '' && tree.get(parent) === undefined)
    put(tree, parent, { kind: 'directory', mode: 0o755, inode: 2n });
  tree.set(path, entry);
}

function run(
  ancestor: string,
  local: string,
  remote: string,
  more: Partial<ReconcileInput> = {},
): Reconciliation {
  return reconcile({
    ancestor: treeOf(ancestor),
    local: treeOf(local),
    remote: treeOf(remote),
    rules: noRules,
    strategy: 'preferLocal',
    initial: false,
    rootChanged: false,
    modes,
    clockOffsetMs: 0,
    ...more,
  });
}

function steps(result: Reconciliation): string[] {
  const show = (arrow: string) => (change: Reconciliation['toLocal'][number]) =>
    `${arrow} ${change.kind} ${change.path}${change.kind === 'rename' ? ` ${change.to}` : ''}`;
  return [...result.toRemote.map(show('>')), ...result.toLocal.map(show('<'))];
}

describe('steps as a tree', () => {
  it('makes parents first', () =>
    expect(steps(run('', 'a/b/c=1', ''))).toEqual(['> directory a', '> directory a/b', '> put a/b/c']));
  it('deletes deepest first', () =>
    expect(steps(run('a/b/c=1', '', 'a/b/c=1'))).toEqual(['> delete a/b/c', '> delete a/b', '> delete a']));
  it('moves content that only got another name', () =>
    expect(steps(run('a=1', 'b=1', 'a=1'))).toEqual(['> rename a b']));
  it('moves a folder file by file without sending anything', () =>
    expect(steps(run('a/x=1 a/y=2', 'b/x=1 b/y=2', 'a/x=1 a/y=2'))).toEqual([
      '> directory b',
      '> rename a/x b/x',
      '> rename a/y b/y',
      '> delete a',
    ]));
  it('replaces a folder by a file', () =>
    expect(steps(run('a/x=1', 'a=2', 'a/x=1'))).toEqual(['> delete a/x', '> delete a', '> put a']));
  it('replaces a file by a folder', () =>
    expect(steps(run('a=1', 'a/x=2', 'a=1'))).toEqual(['> delete a', '> directory a', '> put a/x']));
  it('brings a deleted folder back for an edited child, and lets the rest go', () => {
    const result = run('a/x=1 a/y=1', '', 'a/x=2 a/y=1');
    expect(steps(result)).toEqual(['> delete a/y', '< directory a', '< put a/x']);
  });
  it('lets a folder with an edit win over a file by the strategy', () => {
    expect(steps(run('a/x=1', 'a=2', 'a/x=3', { strategy: 'preferRemote' }))).toEqual([
      '< delete a',
      '< directory a',
      '< put a/x',
    ]);
    expect(steps(run('a/x=1', 'a=2', 'a/x=3'))).toEqual(['> delete a/x', '> delete a', '> put a']);
    const held = run('a/x=1', 'a=2', 'a/x=3', { strategy: 'keepAll' });
    expect(steps(held)).toEqual([]);
    expect(held.conflicts.map(({ path, reason }) => [path, reason])).toEqual([['a', 'kinds-differ']]);
  });
  it('keeps a folder whose excluded child stays, and follows it no longer', () => {
    const rules = createPathRules({ exclude: compileGitLines(['*.log']) });
    const result = run('a/x=1', '', 'a/x=1 a/k.log=1', { rules });
    expect(steps(result)).toEqual(['> delete a/x']);
    expect(result.untracked.map(({ path }) => path)).toEqual(['a']);
  });
  it('does not make a folder again that it follows no longer', () => {
    const differences = new Map([['a', { local: undefined, remote: entryOf('d') }]]);
    expect(steps(run('', '', 'a=d', { differences }))).toEqual([]);
    expect(steps(run('', '', 'a/new=1', { differences }))).toEqual(['< directory a', '< put a/new']);
  });
  it('leaves a path alone that could not be read, with everything below', () => {
    const unreadable = { local: new Set(['a']), remote: new Set<string>() };
    expect(steps(run('a/x=1 b=1', '', 'a/x=1 b=1', { unreadable }))).toEqual(['> delete b']);
  });
  it('forgets a newly excluded path and touches it on neither side', () => {
    const rules = createPathRules({ exclude: compileGitLines(['a']) });
    const result = run('a=1', '', 'a=1', { rules });
    expect(steps(result)).toEqual([]);
    expect(result.ancestorUpdates).toEqual([{ path: 'a', local: undefined, remote: undefined }]);
  });
  it('looks only at what it is asked for', () =>
    expect(steps(run('', 'a=1 b=1', '', { paths: ['b'] }))).toEqual(['> put b']));
  it('asks for digests first and decides about the rest', () => {
    const result = run('', 'a=1? b=1', 'a=2?');
    expect(result.needsDigest).toEqual({ local: ['a'], remote: ['a'] });
    expect(result.waiting).toEqual(['a']);
    expect(steps(result)).toEqual(['> put b']);
  });
  it('makes a read-only folder writable until its children are in', () => {
    const local = treeOf('r/f=1');
    local.set('r', { kind: 'directory', mode: 0o555, inode: 2n });
    expect(
      run('', '', '', { local }).toRemote.map((change) => [
        change.kind,
        change.path,
        'mode' in change && change.mode,
      ]),
    ).toEqual([
      ['directory', 'r', 0o755],
      ['put', 'r/f', 0o644],
      ['chmod', 'r', 0o555],
    ]);
  });
  it('never makes a set-user-id file', () => {
    const local = treeOf('a=1');
    local.set('a', { ...entryOf('1'), mode: 0o6755 } as Entry);
    expect(run('', '', '', { local }).toRemote[0]).toMatchObject({ mode: 0o755 });
  });
});

const upload = createPathRules({ uploadExclude: compileGitLines(['assets/m.*']) });
describe('excludes of one direction (deletes and renames too)', () => {
  it('keeps the remote file when the local one is deleted', () =>
    expect(steps(run('assets/m.js=1', 'assets=d', 'assets/m.js=1', { rules: upload }))).toEqual([]));
  it('keeps it when the local one is renamed', () =>
    expect(steps(run('assets/m.css=1', 'assets/m.css.tmp=1', 'assets/m.css=1', { rules: upload }))).toEqual(
      [],
    ));
  it('lets the first mirror remove what must not come down', () =>
    expect(
      steps(
        run('', '', 'd/x=1', {
          rules: createPathRules({ downloadExclude: compileGitLines(['d/']) }),
          strategy: 'mirrorLocal',
          initial: true,
        }),
      ),
    ).toEqual(['> delete d/x', '> delete d']));
});

const code = fc.constantFrom('-', '-', '1', '1', '2', '3', '1x', 'd', 's');
const names = ['a', 'b', 'a/a', 'a/b', 'b/a', 'a/a/a', 'a/a/b'];
const tree = fc.array(code, { minLength: names.length, maxLength: names.length }).map((codes) => {
  const result = new Tree();
  names.forEach((path, index) => {
    const entry = entryOf(codes[index] ?? '-');
    const parent = parentOf(path);
    if (entry !== undefined && (parent === '' || result.get(parent)?.kind === 'directory'))
      result.set(path, entry);
  });
  return result;
});
const world = fc.record({
  ancestor: tree,
  local: tree,
  remote: tree,
  strategy: fc.constantFrom<Strategy>(...strategies),
  initial: fc.boolean(),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

function inputOf(w: World, more: Partial<ReconcileInput> = {}): ReconcileInput {
  const ancestor = w.initial ? new Tree() : w.ancestor;
  return { ...w, ancestor, rules: noRules, rootChanged: false, modes, clockOffsetMs: 0, ...more };
}

function copy(source: Tree): Tree {
  return new Tree(source.entries());
}

/** Applies a plan to copies and folds the result into a copy of the ancestor, as the engine does. */
function settleOnce(input: ReconcileInput): {
  input: ReconcileInput;
  trash: Entry[];
  result: Reconciliation;
} {
  const result = reconcile(input);
  const [ancestor, local, remote] = [
    copy(input.ancestor as Tree),
    copy(input.local as Tree),
    copy(input.remote as Tree),
  ];
  const trash: Entry[] = [];
  applyStrictly(remote, result.toRemote, trash);
  applyStrictly(local, result.toLocal, trash);
  const differences = new Map(input.differences);
  for (const { path, local: agreed } of result.ancestorUpdates) ancestor.set(path, agreed);
  for (const { path, difference } of result.untracked) differences.set(path, difference);
  for (const change of [...result.toLocal, ...result.toRemote]) {
    for (const path of change.kind === 'rename' ? [change.path, change.to] : [change.path]) {
      ancestor.set(
        path,
        compareEntries(local.get(path), remote.get(path), modes.mask) === 'same'
          ? local.get(path)
          : undefined,
      );
    }
  }
  return { input: { ...input, ancestor, local, remote, differences, initial: false }, trash, result };
}

const contents = (...trees: readonly { entries(): Iterable<[string, Entry]> }[]): Set<string> =>
  new Set(
    trees.flatMap((each) =>
      [...each.entries()].flatMap(([, e]) => (e.kind === 'file' ? [e.digest ?? ''] : [])),
    ),
  );

const numRuns = Number(process.env['RECONCILE_RUNS'] ?? 3000);
describe('for any three trees', () => {
  it('can be applied step by step, and loses no content of a side', () => {
    fc.assert(
      fc.property(world, (w) => {
        const before = contents(w.local, w.remote);
        const { input, trash } = settleOnce(inputOf(w));
        const after = contents(input.local, input.remote);
        for (const entry of trash) if (entry.kind === 'file') after.add(entry.digest ?? '');
        expect([...before].filter((digest) => !after.has(digest))).toEqual([]);
      }),
      { numRuns },
    );
  });

  it('has nothing to do once its plan was applied', () => {
    fc.assert(
      fc.property(world, (w) => {
        if (w.initial && w.strategy === 'disabled') return;
        const first = settleOnce(inputOf(w)).input;
        const second = settleOnce(first);
        const third = settleOnce(second.input);
        expect(steps(third.result)).toEqual([]);
        const { conflicts } = third.result;
        if (w.strategy.startsWith('prefer') && w.strategy !== 'preferNewest') expect(conflicts).toEqual([]);
      }),
      { numRuns },
    );
  });

  it('gives the mirrored plan for mirrored sides', () => {
    const mirrored: Partial<Record<Strategy, Strategy>> = {
      mirrorLocal: 'mirrorRemote',
      mirrorRemote: 'mirrorLocal',
      preferLocal: 'preferRemote',
      preferRemote: 'preferLocal',
    };
    const plain = (changes: Reconciliation['toLocal']): unknown[] =>
      changes.map((c) => [c.kind, c.path, c.why]).sort();
    fc.assert(
      fc.property(world, (w) => {
        const one = reconcile(inputOf(w));
        const swapped = {
          ...w,
          local: w.remote,
          remote: w.local,
          strategy: mirrored[w.strategy] ?? w.strategy,
        };
        const two = reconcile(inputOf(swapped));
        expect(plain(two.toLocal)).toEqual(plain(one.toRemote));
        expect(plain(two.toRemote)).toEqual(plain(one.toLocal));
        expect(two.conflicts.map((c) => c.path).sort()).toEqual(one.conflicts.map((c) => c.path).sort());
      }),
      { numRuns },
    );
  });

  it('names every path on at most one side, and never in changes and conflicts both', () => {
    fc.assert(
      fc.property(world, (w) => {
        const result = reconcile(inputOf(w));
        const pathsOf = (changes: Reconciliation['toLocal']): Set<string> =>
          new Set(changes.flatMap((c) => (c.kind === 'rename' ? [c.path, c.to] : [c.path])));
        const lists = [
          pathsOf(result.toLocal),
          pathsOf(result.toRemote),
          new Set(result.conflicts.map((c) => c.path)),
        ];
        const total = lists.reduce((sum, each) => sum + each.size, 0);
        expect(new Set(lists.flatMap((each) => [...each])).size).toBe(total);
      }),
      { numRuns },
    );
  });

  it('never touches an excluded path', () => {
    const rules = createPathRules({ exclude: compileGitLines(['a/a', 'b']) });
    const hidden = /^(?:a\/a|b)(?:\/|$)/;
    fc.assert(
      fc.property(world, (w) => {
        const result = reconcile(inputOf(w, { rules }));
        const touched = [...result.toLocal, ...result.toRemote].filter((c) => hidden.test(c.path));
        expect(touched).toEqual([]);
      }),
      { numRuns },
    );
  });
});
