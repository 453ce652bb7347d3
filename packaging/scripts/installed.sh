# After an installation or an upgrade. Services are neither enabled nor started;
# those that run go on with the new program.
[ ! -e /var/lib/unchoke/tune/stands ] || rm -f /var/lib/unchoke/tune/stands
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload >/dev/null 2>&1 || :
	systemctl try-restart unchoke-serve.service unchoke-exporter.service >/dev/null 2>&1 || :
fi
