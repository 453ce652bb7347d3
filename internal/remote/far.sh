# The far side of a connection: tells what is there, takes unchoke if it has
# none that fits, starts it, and leaves nothing. Near sends this text, headed by
# the assignments of nonce and lease; any POSIX shell runs it.
#
# What it says are lines that begin with the nonce, so that nobody takes what a
# login shell prints for them. It hears a verb a line, and ends when its input
# ends or no line, and no byte of a delivery, has come for the lease in seconds.
#
# States: asked → (delivering →) (asking sudo →) running session, or serving with
# iperf3 → gone.

umask 077
PATH=$PATH:/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin:/opt/bin:/opt/sbin
export PATH
exec 3<&0 </dev/null
watch= ; child= ; become= ; as= ; pass=

say() { printf '%s %s\n' "$nonce" "$*"; }

# each COMMAND: for each place that may take the private directory.
each() {
  for base in "${XDG_RUNTIME_DIR:-}" /tmp "${HOME:-}" /var/tmp; do
    if [ -n "$base" ]; then "$@" || return 0; fi
  done
}
sweep() { rm -rf "$base/unchoke.$nonce"; }
grown() { if [ -f "$base/unchoke.$nonce/load" ]; then wc -c <"$base/unchoke.$nonce/load"; fi; }

# guard [PID [started]]: a process that outlives this shell and lets nothing be
# left: it ends this shell and the PID where near gives no sign of life, and
# removes the directory where this shell was killed. Of a program that is started
# it waits only for the directory to go.
guard() {
  old=$watch
  (
    trap 'quiet=0' USR1
    trap '' HUP PIPE
    quiet=0 size=
    while kill -0 $$ 2>/dev/null && [ "$quiet" -lt "$lease" ]; do
      sleep 1
      quiet=$((quiet + 1)) now=$(each grown)
      if [ "$now" != "$size" ]; then quiet=0 size=$now; fi
      if [ -n "${2:-}" ] && [ ! -d "$dir" ]; then exit; fi
    done
    if [ -n "${1:-}" ]; then kill -KILL "$1"; fi
    kill -KILL $$
    each sweep
  ) </dev/null >/dev/null 2>&1 3<&- &
  watch=$!
  if [ -n "$old" ]; then dismiss "$old"; fi
}
dismiss() { kill -KILL "$1"; wait "$1"; } 2>/dev/null

leave() {
  trap - EXIT
  if [ -n "$child" ]; then kill "$child" 2>/dev/null; wait "$child" 2>/dev/null; fi
  each sweep
  if [ -n "$watch" ]; then dismiss "$watch"; fi
  exit "${1:-1}"
}
trap 'leave 1' EXIT HUP INT PIPE TERM

# room NEED_KIB: makes the private directory where a program may run and fits.
room() {
  dir=$base/unchoke.$nonce
  if ! mkdir "$dir" 2>/dev/null; then say unfit "$base: not writable"; return 0; fi
  if ! printf '#!/bin/sh\nexit 0\n' 2>/dev/null >"$dir/unchoke" || ! chmod 700 "$dir/unchoke"; then
    why='no space'
  elif ! "$dir/unchoke" 2>/dev/null; then
    why='programs may not run there (noexec)'
  else
    free=$(df -Pk "$dir" 2>/dev/null | tail -n 1)
    # shellcheck disable=SC2086 # the fields of df's line
    set -- "$1" $free
    case ${5:-} in
    '' | *[!0-9]*) return 1 ;; # df does not tell: it is tried
    esac
    if [ "$5" -ge "$1" ]; then return 1; fi
    why="$5 KiB free of $1 KiB"
  fi
  rm -rf "$dir"
  dir=
  say unfit "$base: $why"
}

checksum() {
  if command -v sha256sum; then sha256sum
  elif command -v shasum; then shasum -a 256
  elif command -v openssl; then openssl dgst -sha256 -r
  elif command -v sha256; then sha256 -q
  fi <"$1" | tail -n 1
}

# rights PROGRAM: learns how the program gets root's rights, where they are asked
# for. Sudo's own answer decides: of itself, with a password, or not at all.
rights() {
  as=
  if [ -z "$become" ] || [ "$(id -u)" = 0 ]; then return 0; fi
  if ! command -v sudo >/dev/null; then say refused missing; return 1; fi
  if said=$(LC_ALL=C sudo -n -- "$1" version 2>&1 >/dev/null 3<&-); then as=free; return 0; fi
  case $said in
  *'assword is required'* | *'uthentication is required'*) ;;
  *) refusal; return 1 ;;
  esac
  # Another printf would show the password among its arguments.
  case $(type printf) in
  *builtin*) ;;
  *) say refused printf; return 1 ;;
  esac
  say password
  await_password
  if said=$(printf '%s\n' "$pass" | LC_ALL=C sudo -k -S -p '' -- "$1" version 2>&1 >/dev/null 3<&-); then as=password; else refusal; fi
  pass=
  [ -n "$as" ]
}
refusal() { say refused "$(printf '%s' "$said" | tr '\n' ' ' | cut -c 1-500)"; }

# await_password: the user may take their time, while near gives signs of life.
await_password() {
  while IFS= read -r line <&3; do
    kill -USR1 "$watch" 2>/dev/null
    case $line in
    beat) ;;
    'password '*) pass=${line#password } line= ; return ;;
    *) leave 0 ;;
    esac
  done
  leave 0
}

# run PROGRAM ARGUMENTS: in place of this shell, with the rights that were
# learned. Near sends the password once more: sudo takes the first line of the
# input that is the program's then.
run() {
  case $as in
  free) exec sudo -n -- "$@" ;;
  password) exec sudo -k -S -p '' -- "$@" ;;
  esac
  exec "$@"
}

# deliver BYTES SHA256 NEED_KIB gzip|plain: takes the bytes of a program.
deliver() {
  dir=
  guard
  each room "$3"
  if [ -z "$dir" ]; then say failed "no directory takes the program"; return; fi
  say send
  head -c "$1" <&3 >"$dir/load" 2>"$dir/error" &
  child=$!
  guard $child
  wait $child
  child=
  guard
  # shellcheck disable=SC2046 # wc pads its number
  if [ $(wc -c <"$dir/load") -ne "$1" ]; then
    say short "the program did not arrive whole: $(head -n 1 "$dir/error")"
    leave 0 # the rest of it still comes, and would be read as verbs
  fi
  if [ "$4" = gzip ]; then
    if ! gzip -dc <"$dir/load" 2>"$dir/error" >"$dir/unchoke"; then say failed "unpack the program: $(head -n 1 "$dir/error")"; return; fi
    rm -f "$dir/load"
  else
    mv -f "$dir/load" "$dir/unchoke"
  fi
  chmod 700 "$dir/unchoke"
  sum=$(checksum "$dir/unchoke")
  case $sum in
  '') say unsummed ;;
  "$2"*) ;;
  *) say failed "the program's checksum is wrong"; return ;;
  esac
  if ! "$dir/unchoke" version >/dev/null 2>"$dir/error" 3<&-; then say failed "the program does not run there: $(head -n 1 "$dir/error")"; return; fi
  rm -f "$dir/error"
  if ! rights "$dir/unchoke"; then return; fi
  say start
  # It removes the directory first thing; the guard goes with that.
  run "$dir/unchoke" session --delivered <&3 &
  child=$!
  exec 3<&-
  guard $child started
  wait $child
  status=$?
  child=
  leave $status
}

# serve PORT: iperf3 until near leaves.
serve() {
  "$iperf3" -s -p "$1" >/dev/null 2>&1 3<&- &
  child=$!
  guard $child
  sleep 1
  if kill -0 $child 2>/dev/null; then say serving "$1"; else wait $child; child= ; say failed "iperf3 -s -p $1 ended at once"; fi
}

say system "$(uname -s)"
say machine "$(uname -m)"
order=$(dd if=/bin/sh bs=1 skip=5 count=1 2>/dev/null)
if [ "$order" = "$(printf '\002')" ]; then say order big; else say order little; fi
say connection "${SSH_CONNECTION:-}"
if command -v gzip >/dev/null; then say gzip; fi
if own=$(command -v unchoke); then say own "$own"; say version "$("$own" version --json 2>/dev/null 3<&- | tr '\n' ' ')"; fi
if iperf3=$(command -v iperf3); then say iperf3 "$iperf3"; fi
guard
say ready

while read -r verb one two three four <&3; do
  kill -USR1 "$watch" 2>/dev/null
  case $verb in
  beat) ;;
  become) become=1 ;;
  own)
    if rights "$own"; then
      dismiss "$watch"
      trap - EXIT
      say start
      run "$own" session <&3 3<&-
    fi
    ;;
  deliver) each sweep; deliver "$one" "$two" "$three" "$four"; each sweep; guard ;;
  serve) serve "$one" ;;
  *) leave 0 ;;
  esac
done
leave 0
