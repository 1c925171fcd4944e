import { execQuestion, folders, tasks } from '../fixtures/app.ts';
import { clusterList, namespaces } from '../fixtures/clusters.ts';
import { unreachable } from '../fixtures/errors.ts';
import { hostile } from '../fixtures/hostile.ts';
import { leftovers } from '../fixtures/leftovers.ts';
import * as sessions from '../fixtures/session-detail.ts';
import * as sessionFiles from '../fixtures/session-files.ts';
import * as sessionStates from '../fixtures/session-states.ts';
import { log, terminals } from '../fixtures/terminals.ts';
import * as workloads from '../fixtures/workloads.ts';
import type { Scene, Scenes } from '../fake/scene.ts';
import { at } from './base.ts';

const enemy: Omit<Scene, 'hash'> = {
  states: {
    'app.tasks': () => ({ items: hostile({ images: tasks.images }) }),
    'clusters.list': () => hostile(clusterList),
    'clusters.connection': () => ({
      state: 'connected',
      version: hostile('v1.35.2'),
      error: hostile(unreachable),
    }),
    'clusters.namespaces': () => ({
      ...hostile(namespaces),
      state: 'partial',
      notes: [hostile('You may not list namespaces.')],
    }),
    'workloads.list': () => ({
      ...hostile(workloads.workloads),
      state: 'partial',
      notes: [hostile('Some are missing.')],
    }),
    'workloads.detail': () => hostile(workloads.detail),
    'sessions.list': () =>
      hostile({
        state: 'ready',
        items: { s1: sessionStates.inConflict.summary, s2: sessions.worker },
      } as const),
    'sessions.detail': () => hostile(sessionStates.inConflict),
    'terminals.list': () => ({ items: hostile({ t1: terminals.t1 }) }),
    'leftovers.list': () => hostile(leftovers),
  },
  methods: {
    'workloads.preflight': () => hostile(workloads.preflight),
    'workloads.detect': () => hostile(workloads.detection),
    'workloads.plan': () => hostile(workloads.plan),
    'sessions.tree': () =>
      hostile({ entries: sessionFiles.tree[''] ?? [], total: sessionFiles.tree['']?.length ?? 0 }),
    'sessions.trash': () => hostile({ entries: sessionFiles.trash, total: sessionFiles.trash.length }),
    'sessions.conflict': () => hostile(sessionFiles.conflictVersions),
    'sessions.containerTrash': () => hostile(sessionFiles.containerTrash),
    'app.listFolders': () => hostile(folders),
  },
  streams: {
    'sessions.activity': () => [
      // What became of a file is a word of main's own.
      {
        ...sessionFiles.activity,
        items: hostile(sessionFiles.activity.items).map((item) => ({ ...item, action: 'update' })),
      },
    ],
    'sessions.link': () => hostile(sessionFiles.troubledLinks),
    'logs.follow': () => hostile(log),
    'terminals.attach': () => {
      const bytes = new TextEncoder().encode(
        `${hostile('text')}\r\n\u001b]52;c;c2xpcHdheQ==\u0007\u001b]0;${hostile('title')}\u0007\u001b]8;;javascript:window.taken=1\u0007link\u001b]8;;\u0007\u001b[6n\u001b[c`,
      );
      return [{ replay: 0 }, bytes];
    },
  },
};

const web = '#/workload/c1/shop/Deployment/web';

/** Every page with hostile text in every place that a cluster, a container or a repository can write to. */
export const hostileScenes: Scenes = {
  'hostile-welcome': at('#/welcome', enemy),
  'hostile-workloads': at('#/workloads/c1/shop', enemy),
  'hostile-workload': at(web, enemy),
  'hostile-preflight': at(`${web}/preflight`, enemy),
  'hostile-start': at(`${web}/start`, enemy),
  'hostile-session': at('#/session/s1', enemy),
  'hostile-sync': at('#/session/s1/sync', enemy),
  'hostile-conflict': at('#/session/s1/sync/conflicts/1', enemy),
  'hostile-trash': at('#/session/s1/sync/trash', enemy),
  'hostile-terminal': at('#/session/s1/terminal', enemy),
  'hostile-logs': at('#/session/s1/logs', enemy),
  'hostile-ports': at('#/session/s1/ports', enemy),
  'hostile-changes': at('#/session/s1/changes', enemy),
  'hostile-timeline': at('#/session/s1/timeline', enemy),
  'hostile-leftovers': at('#/leftovers/c1', enemy),
  'hostile-settings': at('#/settings/clusters', enemy),
  'hostile-question': at('#/workloads/c1/shop', {
    ...enemy,
    states: {
      ...enemy.states,
      'app.questions': () => ({ items: { q1: { ...hostile(execQuestion), choices: execQuestion.choices } } }),
    },
  }),
};
