# dpkg --purge: unchoke's state goes, unless changes to this host stand.
state=/var/lib/unchoke/tune
if [ -e "$state/stands" ]; then
	echo "unchoke: purge changes nothing of this host's network: what \"unchoke tune\" changed stays in force."
	echo "unchoke: $state has the old values and is kept; to take the changes back, install unchoke again, then: unchoke tune revert"
	exit 0
fi
rm -rf /var/lib/unchoke
