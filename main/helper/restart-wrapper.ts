/**
 * Waits until the app has put the helper into the container and says `start`, then becomes it: the helper runs the
 * program as its child and starts it anew when asked. Needs no more of the image than putting the helper there does.
 * $1 is the folder's name, the other words are the program.
 */
const waitScript = `
name=$1; shift
trap 'exit 143' TERM
trap 'exit 130' INT
echo "slipway: waiting for the first sync" >&2
while :; do
  for base in /tmp /dev/shm /var/tmp "$HOME" "$PWD"; do
    folder=$base/$name
    if [ -f "$folder/start" ] && [ ! -L "$folder" ] && [ -O "$folder" ]; then
      IFS= read -r helper <"$folder/start" && [ -x "$helper" ] && exec "$helper" run -- "$@"
    fi
  done
  sleep 0.1 2>/dev/null || sleep 1
done
`;

/** What comes before a container's own command so that it runs below the restart helper of a session. */
export function restartWrapper(session: string): readonly string[] {
  return ['sh', '-c', waitScript, 'slipway', `.slipway-${session}`];
}
