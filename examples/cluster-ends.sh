#!/bin/sh
# How clusters on demand end by themselves, on the local cloud: one when its 30 s are over, one when its cent is spent. Their
# owner is warned by mail before, and told what it has cost; results come home; nothing is left. Needs python3, as mail server.
set -eu; spillway=$PWD/spillway; "$spillway" --version; cd "$(mktemp -d)"; chmod 755 .; mkdir image home; touch head.log mail.txt
cat >sink.py <<'END'
import socketserver, sys
class Letter(socketserver.StreamRequestHandler):
    def say(self, text):
        self.wfile.write(text.encode() + b"\r\n")
    def handle(self):
        self.say("220 sink")
        for line in self.rfile:
            word = line[:4].upper()
            self.say("354 go on" if word == b"DATA" else "221 bye" if word == b"QUIT" else "250 sink")
            if word == b"QUIT":
                return
            if word == b"DATA":
                with open("mail.txt", "ab") as file:
                    for text in iter(self.rfile.readline, b".\r\n"):
                        file.write(text.replace(b"\r\n", b"\n"))
                    file.write(b"--\n")
                self.say("250 taken")
with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Letter) as server:
    print(server.server_address[1], file=open("port.new", "w"), flush=True)
    import os; os.rename("port.new", "port")
    server.serve_forever()
END
python3 sink.py & sink=$!; trap 'kill $sink' EXIT; until [ -s port ]; do kill -0 $sink; sleep 0.1; done
cat >cloud.yaml <<END
types:
  - { name: head, cpus: 1, memoryGiB: 2, pricePerHour: 0.20, bootSeconds: 0.5 }
  - { name: node, cpus: 2, memoryGiB: 4, pricePerHour: 0.02, bootSeconds: 0.5 }
END
cat >spillway.yaml <<END
cluster: main
budget: { limit: 20.00, period: day }
directory: { source: nss }
image: { tree: image }
mail: { host: 127.0.0.1, port: $(cat port), tls: none, from: spillway@example.org, domain: example.org }
queues: { west: { sites: [west] } }
sites: { west: { driver: local, maxNodes: 4, director: { type: head }, options: { state: $PWD/cloud, config: $PWD/cloud.yaml } } }
END
"$spillway" serve --config spillway.yaml 2>>head.log & trap 'kill $sink $! $(cut -d" " -f2 cloud/endpoint) 2>/dev/null || :' EXIT
until grep -q 'is up' head.log; do kill -0 $!; sleep 0.2; done
echo 'hostname >out.txt; echo done >>out.txt' >job.sh
gone() { until "$spillway" cluster show "$1" >show.txt && grep -q 'has cost .*(mail: sent)$' show.txt; do sleep 0.5; done; }
# Time and money count from the command, so that nobody pays for more than they said. A machine so busy that it makes no cluster
# in 30 s, or for a cent, is asked for a little more.
attempt() { "$spillway" cluster create "$1" --site west --nodes 1 --type node --ttl "$2" --budget "$3" --results home \
  && "$spillway" cluster submit "$1" --wait --time 1m --out out.txt job.sh; }
for ttl in 30 90 240; do name=short$ttl; attempt $name ${ttl}s 5 && break; gone $name; done; gone $name; cat show.txt
for cents in 1 2 4; do name=cents$cents; attempt $name 1h 0.0$cents && break; gone $name; done; gone $name; cat show.txt
rm out.txt; echo 'At home:'; head home/*/out.txt
echo; echo 'The mail:'; cat mail.txt
"$spillway" cluster list --all
"$spillway" audit; "$spillway" stop --wait
