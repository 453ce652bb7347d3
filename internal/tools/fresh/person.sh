# Runs as root on a host that has just booted.
set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb
echo "booted: $(ps -p 1 -o comm=), Linux $(uname -r), $(. /etc/os-release; echo "$PRETTY_NAME")"
for tool in go gcc cc make; do
  ! command -v "$tool" >/dev/null || { echo "$tool is here: this is no fresh Debian"; exit 1; }
done
cp /run/share/unchoke.deb /root/
cd /root
milliseconds() { echo $(($(date +%s%N) / 1000000)); }
start=$(milliseconds)
echo '$ apt install ./unchoke.deb'
apt-get install -qq -y -o Dpkg::Use-Pty=0 ./unchoke.deb </dev/null
installed=$(milliseconds)
echo "installed after $((installed - start)) ms"
echo '$ unchoke lab exec --host --path rtt=50ms,loss=1%,rate=10mbit --far "unchoke serve --listen :5201" -- unchoke check --budget 20s far'
unchoke lab exec --host --path rtt=50ms,loss=1%,rate=10mbit --far 'unchoke serve --listen :5201' -- unchoke check --budget 20s far | tee verdict
# Beside other work the machine itself is slow at times, and that has a verdict too.
grep -qi -e '^loss-limited' -e '^also loss-limited' verdict
echo "verdict after $(($(milliseconds) - start)) ms"
