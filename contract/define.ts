import type { z } from 'zod';

/** One question and one answer. The input is parsed in main always, whoever asks. */
export interface MethodContract<Input extends z.ZodType = z.ZodType, Output = unknown> {
  readonly kind: 'method';
  readonly input: Input;
  /** Only a type: main is trusted by the renderer, never the other way round. */
  readonly output: Output;
}

/**
 * A value that main keeps and the renderer mirrors: a snapshot first, then merge patches (RFC 7396) with rising
 * indices. Values are JSON objects without `null`, since a patch says with `null` that a key is gone.
 */
export interface StateContract<Params extends z.ZodType = z.ZodType, Value = unknown> {
  readonly kind: 'state';
  readonly params: Params;
  readonly value: Value;
}

/** Messages both ways with credit: main sends no more down than the renderer has asked for. */
export interface StreamContract<
  Params extends z.ZodType = z.ZodType,
  Up extends z.ZodType = z.ZodType,
  Down = unknown,
> {
  readonly kind: 'stream';
  readonly params: Params;
  readonly up: Up;
  readonly down: Down;
}

export type AnyContract = MethodContract | StateContract | StreamContract;

/** Carries a type without a value: nothing reads it. */
function typeOnly<T>(): T {
  return undefined as T;
}

export function method<Output>() {
  return <Input extends z.ZodType>(input: Input): MethodContract<Input, Output> => ({
    kind: 'method',
    input,
    output: typeOnly<Output>(),
  });
}

export function state<Value>() {
  return <Params extends z.ZodType>(params: Params): StateContract<Params, Value> => ({
    kind: 'state',
    params,
    value: typeOnly<Value>(),
  });
}

export function stream<Down>() {
  return <Params extends z.ZodType, Up extends z.ZodType>(
    params: Params,
    up: Up,
  ): StreamContract<Params, Up, Down> => ({
    kind: 'stream',
    params,
    up,
    down: typeOnly<Down>(),
  });
}
