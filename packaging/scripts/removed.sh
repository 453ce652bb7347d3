# After the files of unchoke are gone; not on an upgrade.
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload >/dev/null 2>&1 || :
fi
