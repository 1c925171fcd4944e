export function Dock() {
  return null;
}
