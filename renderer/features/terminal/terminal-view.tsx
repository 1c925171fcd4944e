export function TerminalView(_props: { readonly terminal: string }) {
  return null;
}
