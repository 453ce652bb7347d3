# Before the files of unchoke go; not on an upgrade.
state=/var/lib/unchoke/tune
if status=$(unchoke tune status --json 2>/dev/null); then
	case $status in
	*'"phase": "idle"'*) stands= ;;
	*'"phase": "kept"'*) stands=yes ;;
	*)
		echo 'unchoke: "unchoke tune" is changing this host, or its timer is to take a trial back; without the program it cannot.' >&2
		echo 'unchoke: finish first: unchoke tune confirm TOKEN, or: unchoke tune revert' >&2
		exit 1
		;;
	esac
	case $status in *'"lost"'*) stands=yes ;; esac
else
	stands=yes # what cannot be read is not thrown away
fi
if [ -d /run/systemd/system ]; then
	systemctl --no-reload disable --now unchoke-serve.service unchoke-exporter.service >/dev/null 2>&1 || :
fi
[ -n "$stands" ] && [ -d "$state" ] || exit 0
: >"$state/stands"
echo 'unchoke: what "unchoke tune" changed on this host stays as it is:'
unchoke tune status 2>&1 | sed 's/^/unchoke:   /'
echo "unchoke: to take it back: unchoke tune revert. Once the program is gone, install it again first; $state has the old values and stays."
