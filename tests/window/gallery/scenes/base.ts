import { execQuestion, folders, info } from '../fixtures/app.ts';
import { clusterList, connected, namespaces } from '../fixtures/clusters.ts';
import { sessionGone } from '../fixtures/errors.ts';
import { leftovers } from '../fixtures/leftovers.ts';
import * as sessions from '../fixtures/session-detail.ts';
import * as sessionFiles from '../fixtures/session-files.ts';
import * as sessionStates from '../fixtures/session-states.ts';
import { doctor, settings } from '../fixtures/settings.ts';
import { log, shellOutput, terminals } from '../fixtures/terminals.ts';
import { allAllowed, detail, detection, plan, workloads } from '../fixtures/workloads.ts';
import { Refusal, scene, type Scene } from '../fake/scene.ts';

/** A main with four clusters, two sessions and something in every list. */
export const rich = {
  hash: '#/welcome',
  states: {
    'app.info': () => info,
    'app.tasks': () => ({ items: {} }),
    'app.questions': () => ({ items: {} }),
    'settings.current': () => settings,
    'clusters.list': () => clusterList,
    'clusters.connection': () => connected,
    'clusters.namespaces': () => namespaces,
    'workloads.list': () => workloads,
    'workloads.detail': () => detail,
    'sessions.list': () => sessions.sessionList,
    'sessions.detail': ({ session }) => (session === 's1' ? sessions.detail : new Refusal(sessionGone)),
    'terminals.list': () => ({ items: { t1: terminals.t1 } }),
    'leftovers.list': () => leftovers,
    'leftovers.counts': () => ({ items: { c1: 4 } }),
  },
  methods: {
    'settings.doctor': () => doctor,
    'settings.update': () => ({}),
    'clusters.retry': () => ({}),
    'workloads.preflight': () => allAllowed,
    'workloads.detect': () => detection,
    'workloads.plan': () => plan,
    'sessions.tree': ({ path }) => {
      const entries = sessionFiles.tree[path] ?? [];
      return { entries, total: entries.length };
    },
    'sessions.trash': ({ search }) => {
      const entries = sessionFiles.trash.filter(({ path }) => path.includes(search));
      return { entries, total: entries.length };
    },
    'sessions.heldPaths': ({ offset, search }) => ({
      paths: sessionStates.brake.paths.map((path) => path.replace('product-', `product-${offset}-`)),
      total: search === undefined || search === '' ? sessionStates.brake.count : 100,
      entries: sessionStates.brake.paths.map((path, index) => ({
        path: path.replace('product-', `product-${offset}-`),
        laptop: { kind: 'file', size: 15_000 + index * 131 },
      })),
      laptop: { count: 1204, bytes: 18_402_110 },
      container: { count: 0, bytes: 0 },
    }),
    'sessions.conflict': () => sessionFiles.conflictVersions,
    'sessions.swapConflict': () => ({ message: 'Done.' }),
    'sessions.restoreVersions': ({ versions }) => ({
      restored: (versions ?? []).map(({ id }) => id),
      failed: [],
    }),
    'sessions.bringHere': ({ id }) => ({ path: id }),
    'sessions.containerTrash': () => sessionFiles.containerTrash,
    'sessions.nudge': () => ({}),
    'sessions.answerHeld': () => ({ message: 'Done.' }),
    'app.listFolders': ({ path }) => ({ ...folders, path }),
    'app.answer': (_input, stage) => {
      stage.set('app.questions', { items: {} });
      return {};
    },
    'leftovers.refresh': () => ({}),
    'leftovers.preview': ({ keys, action }) => ({
      items: keys.map((key) => ({
        key,
        steps: [
          ...(action === 'restore' ? [`${key}: spec.replicas goes from 0 back to 2.`] : []),
          `Deployment/${key.split('/')[1] ?? ''}-dev is removed.`,
          `Lease/slipway-${key.split('/')[1] ?? ''} is removed.`,
        ],
      })),
    }),
    'leftovers.act': ({ keys, action }) => ({
      items: keys.map((key) => ({
        key,
        done:
          action === 'restore'
            ? ['spec.replicas is 2 again.', 'The dev Deployment is removed.']
            : ['The dev Deployment is removed.'],
        kept: [],
        remaining: [],
      })),
    }),
    'leftovers.explain': () => ({
      lines: [
        'Slipway replaced Deployment/search by Deployment/search-dev for ben on bens-laptop.',
        'Its Lease was renewed for the last time three days ago, so nobody runs it.',
        'Restore scales Deployment/search back to 2 and removes what was added.',
      ],
      commands: [
        'kubectl -n shop get deployment search search-dev',
        'kubectl -n shop describe lease slipway-search',
      ],
    }),
    'terminals.open': () => ({ terminal: 't1' }),
  },
  streams: {
    'sessions.activity': () => [sessionFiles.activity],
    'sessions.link': () => sessionFiles.links,
    'terminals.attach': () => shellOutput,
    'logs.follow': () => log,
  },
} satisfies Scene;

/** The same at another page, with some answers of its own. */
export function at(hash: string, own: Omit<Partial<Scene>, 'hash'> = {}): Scene {
  return scene(rich, { ...own, hash });
}

export const question = execQuestion;
