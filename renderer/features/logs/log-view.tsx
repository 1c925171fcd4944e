import type { ParamsOf } from '../../../contract/api.ts';

export type LogTarget = ParamsOf<'logs.follow'>['target'];

export function LogView(_props: { readonly target: LogTarget }) {
  return null;
}
