/** Safari knows no `Symbol.dispose` yet; what subscribes hands out objects that have it. Import for its effect. */
if ((Symbol as { dispose?: symbol }).dispose === undefined)
  Object.defineProperty(Symbol, 'dispose', { value: Symbol('dispose') });

export {};
