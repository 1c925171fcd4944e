import type { Scene, Scenes } from '../fake/scene.ts';
import { never, Refusal } from '../fake/scene.ts';
import type { SessionDetail } from '../../../../contract/sessions.ts';
import { helperLost, unreachable } from '../fixtures/errors.ts';
import * as sessions from '../fixtures/session-detail.ts';
import * as sessionFiles from '../fixtures/session-files.ts';
import * as sessionStates from '../fixtures/session-states.ts';
import { terminals } from '../fixtures/terminals.ts';
import { at } from './base.ts';

function of(detail: SessionDetail, tab = '', own: Omit<Partial<Scene>, 'hash'> = {}): Scene {
  const { summary } = detail;
  return at(`#/session/s1${tab === '' ? '' : `/${tab}`}`, {
    ...own,
    states: {
      'sessions.list': () => ({ state: 'ready', items: { s1: summary, s2: sessions.worker } }),
      'sessions.detail': () => detail,
      ...own.states,
    },
  });
}

const { detail } = sessions;
const quietStreams = { 'sessions.activity': () => [] } as const;
const dockOpen = { dockOpen: true, dockHeight: 18 };
const webLog = { kind: 'workload', cluster: 'c1', namespace: 'shop', workload: 'Deployment', name: 'web' };
const logTab = JSON.stringify(webLog);

export const sessionScenes: Scenes = {
  session: of(detail),
  /** Nothing runs yet, and Start starts. */
  'keyboard-start': at('#/welcome', {
    states: {
      'sessions.list': () => ({ state: 'ready', items: {} }),
      'terminals.list': () => ({ items: {} }),
    },
    methods: {
      'sessions.start': (_input, stage) => {
        stage.set('sessions.list', { state: 'ready', items: { s1: detail.summary } });
        return { session: 's1' };
      },
    },
  }),
  'session-loading': at('#/session/s1', { states: { 'sessions.detail': () => never } }),
  'session-unknown': at('#/session/s9'),
  'session-starting': of(sessionStates.starting, '', { streams: quietStreams }),
  'session-held': of(sessionStates.held),
  'session-conflict': of(sessionStates.inConflict),
  'session-settled': of(sessionStates.settled),
  'session-folder-gone': of(sessionStates.folderGone),
  'session-reconnecting': of(sessionStates.reconnecting),
  'session-stopping': of(sessionStates.stopping),
  'session-ended': of(sessionStates.ended),
  'session-left': of(sessionStates.left),
  'session-failed': of(sessionStates.failed),
  activity: of(detail, 'sync'),
  'activity-empty': of(detail, 'sync', { streams: quietStreams }),
  'activity-trouble': of(sessionStates.reconnecting, 'sync/activity', {
    streams: {
      'sessions.activity': () => [sessionFiles.troubledActivity],
      'sessions.link': () => sessionFiles.troubledLinks,
    },
  }),
  'conflict-settled': of(sessionStates.settled, 'sync/conflicts/1'),
  'conflict-held': of(sessionStates.inConflict, 'sync/conflicts/3', {
    methods: { 'sessions.conflict': () => sessionFiles.heldVersions },
  }),
  'conflict-binary': of(sessionStates.settled, 'sync/conflicts/2', {
    methods: { 'sessions.conflict': () => sessionFiles.binaryVersions },
  }),
  'conflict-hostile': of(sessionStates.settled, 'sync/conflicts/1', {
    methods: { 'sessions.conflict': () => sessionFiles.hostileVersions },
  }),
  /** The other version is taken, and then the first one again. */
  'conflict-swap': of(sessionStates.settled, 'sync/conflicts/1', {
    methods: {
      'sessions.swapConflict': (_input, stage) => {
        stage.set('sessions.detail', sessionStates.swapped);
        return { message: 'Done.' };
      },
    },
  }),
  held: of(sessionStates.held, 'sync'),
  conflicts: of(sessionStates.inConflict, 'sync/conflicts'),
  'conflicts-settled': of(sessionStates.settled, 'sync/conflicts'),
  'trash-of-path': of(sessionStates.settled, 'sync/trash/config%2Flocal.json'),
  'trash-empty': of(detail, 'sync', { methods: { 'sessions.trash': () => ({ entries: [], total: 0 }) } }),
  'trash-error': of(detail, 'sync', { methods: { 'sessions.trash': () => new Refusal(unreachable) } }),
  'conflicts-empty': of(detail, 'sync'),
  terminal: of(detail, 'terminal'),
  'terminal-ended': of(detail, 'terminal', {
    states: { 'terminals.list': () => ({ items: { t1: { ...terminals.t1, state: 'ended', code: 137 } } }) },
  }),
  'terminal-lost': of(detail, 'terminal', {
    states: { 'terminals.list': () => ({ items: { t1: { ...terminals.t3, id: 't1', session: 's1' } } }) },
  }),
  logs: of(detail, 'logs'),
  'logs-empty': of(detail, 'logs', { streams: { 'logs.follow': () => [] } }),
  'logs-error': of(detail, 'logs', { streams: { 'logs.follow': () => new Refusal(helperLost) } }),
  ports: of(detail, 'ports'),
  'ports-trouble': of(sessionStates.reconnecting, 'ports'),
  'ports-empty': of({ ...detail, ports: {}, summary: { ...detail.summary, ports: 0 } }, 'ports'),
  changes: of(detail, 'changes'),
  'changes-empty': of({ ...detail, changes: {} }, 'changes'),
  timeline: of(detail, 'timeline'),
  'timeline-empty': of({ ...detail, timeline: {} }, 'timeline'),
  dock: at('#/workloads/c1/shop', {
    view: dockOpen,
    dock: {
      logs: [{ id: logTab, title: 'web', target: webLog }],
      panes: ['terminal:t1', `log:${logTab}`],
      split: true,
    },
    states: { 'terminals.list': () => ({ items: terminals }) },
  }),
  /** A session with its terminal below. */
  'session-dock': {
    ...of(sessionStates.settled),
    view: dockOpen,
    dock: { logs: [], panes: ['terminal:t1'], split: false },
  },
  'dock-empty': at('#/workload/c1/shop/Deployment/web', {
    view: dockOpen,
    states: {
      'terminals.list': () => ({ items: {} }),
      'sessions.list': () => ({ state: 'ready', items: {} }),
    },
  }),
};
