"""A distributed training in small: ranks find each other at MASTER_ADDR:MASTER_PORT, add up their gradients after every step, and
rank 0 writes a checkpoint. Everything is whole numbers, so that two runs can be compared byte for byte."""
import json
import os
import socket
import struct
import sys
import time

rank = int(os.environ["SLURM_PROCID"])
world = int(os.environ["SLURM_NTASKS"])
where = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
STEPS, WIDTH = 12, 64
fails_at = int(os.environ.get("FAILS_AT", "-1"))


def receive(peer, size):
    got = b""
    while len(got) < size:
        part = peer.recv(size - len(got))
        if not part:
            raise SystemExit(f"rank {rank}: a peer is gone")
        got += part
    return got


def rendezvous():
    if rank == 0:
        server = socket.socket()
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(where)
        server.listen(world)
        server.settimeout(60)
        peers = {}
        while len(peers) < world - 1:
            peer, _ = server.accept()
            peer.settimeout(60)
            peers[struct.unpack("!q", receive(peer, 8))[0]] = peer
        return peers
    for _ in range(300):
        try:
            peer = socket.create_connection(where, timeout=60)
            peer.sendall(struct.pack("!q", rank))
            return {0: peer}
        except OSError as refused:
            last = refused
            time.sleep(0.2)
    raise SystemExit(f"rank {rank} does not reach {where}: {last}")


def all_reduce(peers, numbers):
    form = f"!{len(numbers)}q"
    if rank == 0:
        for peer in peers.values():
            numbers = [a + b for a, b in zip(numbers, struct.unpack(form, receive(peer, struct.calcsize(form))))]
        for peer in peers.values():
            peer.sendall(struct.pack(form, *numbers))
        return numbers
    peers[0].sendall(struct.pack(form, *numbers))
    return list(struct.unpack(form, receive(peers[0], struct.calcsize(form))))


with open(f"shards/{rank}.txt") as shard:
    data = [int(line) for line in shard]
begin, weights = 0, [0] * WIDTH
if os.path.exists("checkpoint.json"):
    with open("checkpoint.json") as saved:
        state = json.load(saved)
    begin, weights = state["step"], state["weights"]
peers = rendezvous()
for step in range(begin, STEPS):
    if step == fails_at and rank == world - 1:
        sys.exit(17)
    gradient = [(weights[i] + data[(step * WIDTH + i) % len(data)] * (rank + 1)) % 1000003 for i in range(WIDTH)]
    weights = [total % 1000003 for total in all_reduce(peers, gradient)]
    with open(f"logs/rank-{rank}.txt", "a") as log:
        log.write(f"step {step} of {world} ranks: {sum(weights)}\n")
    if rank == 0 and step % 2 == 1:
        with open("checkpoint.json.new", "w") as out:
            json.dump({"step": step + 1, "weights": weights}, out)
        os.replace("checkpoint.json.new", "checkpoint.json")
        print(f"checkpoint at {step + 1}", flush=True)
if rank == 0:
    with open("results/model.txt", "w") as out:
        out.writelines(f"{weight}\n" for weight in weights)
