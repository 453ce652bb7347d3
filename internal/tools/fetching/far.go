package main

// farScript serves a file with TLS by the server that its first argument names:
// $2 is the limit, $3 the file's size. The authority is of its own.
const farScript = `set -e
mkdir -p /tmp/www /tmp/web; cd /tmp/web; export HOME=/tmp/web
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -keyout key.pem -out cert.pem -subj /CN=far -addext subjectAltName=DNS:far 2>/dev/null
truncate -s "$3" /tmp/www/film.mkv
case $1 in
nginx)
cat > conf <<C
worker_processes 1; error_log /tmp/web/log; pid /tmp/web/pid; daemon off; user root;
events { worker_connections 256; }
http { access_log off; sendfile on; server { listen 443 ssl http2; ssl_certificate /tmp/web/cert.pem; ssl_certificate_key /tmp/web/key.pem; root /tmp/www; $2 } }
C
exec nginx -c /tmp/web/conf ;;
caddy)
cat > Caddyfile <<C
{
admin off
auto_https off
}
https://far:443 {
tls /tmp/web/cert.pem /tmp/web/key.pem
root * /tmp/www
file_server
}
C
exec caddy run --config Caddyfile --adapter caddyfile 2>/tmp/web/log ;;
pace) exec /usr/bin/python3 -c "$PACE" $2 ;;
esac
`

// paceServer is python's http.server with a program that sends a piece, rests
// and sends the next, at $1 bytes a second in steps of $2 seconds. It has ranges.
const paceServer = `import http.server,socket,ssl,sys,time
rate,step=float(sys.argv[1]),float(sys.argv[2])
socket.getfqdn=lambda *a:"lab"
size=4<<30
class H(http.server.BaseHTTPRequestHandler):
  protocol_version="HTTP/1.1"
  def log_message(self,*a): pass
  def do_GET(self):
    a,b=0,size-1
    r=self.headers.get("Range")
    if r:
      a,b=r.split("=")[1].split("-")
      a,b=int(a),int(b or size-1)
      self.send_response(206); self.send_header("Content-Range","bytes %d-%d/%d"%(a,b,size))
    else: self.send_response(200)
    self.send_header("Content-Length",str(b-a+1)); self.end_headers()
    left=b-a+1; begin=time.time(); sent=0
    while left>0:
      n=min(left,max(1,int(rate*step)))
      self.wfile.write(b"\0"*n); left-=n; sent+=n
      time.sleep(max(0,begin+sent/rate-time.time()))
c=ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); c.load_cert_chain("cert.pem","key.pem")
class S(http.server.ThreadingHTTPServer):
  def get_request(self):
    s,a=self.socket.accept(); return c.wrap_socket(s,server_side=True,do_handshake_on_connect=False),a
  def handle_error(self,*a): pass
S(("",443),H).serve_forever()`
