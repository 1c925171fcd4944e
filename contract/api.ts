import type { z } from 'zod';
import { appContract } from './app.ts';
import { clustersContract } from './clusters.ts';
import { leftoversContract } from './leftovers.ts';
import { sessionsContract } from './sessions.ts';
import { settingsContract } from './settings.ts';
import { terminalsContract } from './terminals.ts';
import { workloadsContract } from './workloads.ts';

/** Everything that a window may ask of main: the one list for every transport. */
export const api = {
  ...appContract,
  ...settingsContract,
  ...clustersContract,
  ...workloadsContract,
  ...sessionsContract,
  ...terminalsContract,
  ...leftoversContract,
} as const;

export type Api = typeof api;
type NamesOf<Kind> = { [Name in keyof Api]: Api[Name] extends Kind ? Name : never }[keyof Api];
export type MethodName = NamesOf<{ readonly kind: 'method' }>;
export type StateName = NamesOf<{ readonly kind: 'state' }>;
export type StreamName = NamesOf<{ readonly kind: 'stream' }>;

export type InputOf<Name extends MethodName> = z.output<Api[Name]['input']>;
/** What a caller writes: parts with a default may be left out. */
export type CallInputOf<Name extends MethodName> = z.input<Api[Name]['input']>;
export type OutputOf<Name extends MethodName> = Api[Name]['output'];
export type ParamsOf<Name extends StateName | StreamName> = z.output<Api[Name]['params']>;
export type ValueOf<Name extends StateName> = Api[Name]['value'];
export type UpOf<Name extends StreamName> = z.output<Api[Name]['up']>;
export type DownOf<Name extends StreamName> = Api[Name]['down'];
