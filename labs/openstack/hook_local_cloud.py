#!/usr/bin/python3
"""LAB_HOOK of this lab: its servers are instances of the local cloud at LAB_DIR/hypervisor/cloud, so that each has the
address that Neutron gave it, an SSH server with the host key of its user data, and runs that user data.

hook_local_cloud.py spawn|destroy|power_on|power_off|console UUID NAME JSONFILE
Returns when it is so. A server on another network than the lab's own stays on paper: it has no address here.
"""
import base64
import json
import os
import sys
import time
import urllib.error
import urllib.request

STATE = os.environ['LAB_DIR'] + '/hypervisor/cloud'
OURS = '127.60.'
PATIENCE_SECONDS = 45
NOBODY = ('TERMINATED', '')


def call(path, body):
    with open(STATE + '/endpoint') as file:
        endpoint = file.read().split()[0]
    with open(STATE + '/token') as file:
        token = file.read().strip()
    request = urllib.request.Request('http://%s/v1/%s' % (endpoint, path), json.dumps(body).encode(),
                                     {'Authorization': 'Bearer ' + token, 'Content-Type': 'application/json'})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=30) as answer:
        return json.load(answer)


def state(uuid):
    after = ''
    while True:
        page = call('list', {'tags': {'lab': uuid}, 'after': after})
        for each in page['instances']:
            return each['state']
        if not page['next']:
            return ''
        after = page['next']


def await_state(uuid, wanted):
    end = time.monotonic() + PATIENCE_SECONDS
    while state(uuid) not in wanted:
        if time.monotonic() > end:
            raise TimeoutError('%s is still %s, not %s' % (uuid, state(uuid), wanted))
        time.sleep(0.1)


def spawn(uuid, server):
    address = next((ip for ip in server['ips'] if ip.startswith(OURS)), None)
    if address is None:
        print('%s stays on paper: it is on %s' % (uuid, server['ips']), flush=True)
        return
    launch = {'token': 'server-' + uuid, 'zone': 'lab', 'type': 'server', 'market': 'ON_DEMAND', 'count': 1, 'image': '',
              'userData': base64.b64decode(server.get('user_data') or '').decode(), 'tags': {'lab': uuid}}
    call('host', {'id': uuid, 'address': address, 'launch': launch})
    await_state(uuid, ('RUNNING',))


def main(verb, uuid, path):
    if verb == 'spawn':
        with open(path) as file:
            spawn(uuid, json.load(file))
    elif verb == 'destroy':
        call('terminate', {'ids': [uuid]})
        await_state(uuid, NOBODY)
        if os.path.exists(path):
            os.unlink(path)
    elif verb == 'power_off':
        call('stop', {'ids': [uuid]})
        await_state(uuid, NOBODY + ('STOPPED',))
    elif verb == 'power_on':
        call('start', {'ids': [uuid]})
        await_state(uuid, NOBODY + ('RUNNING',))
    elif verb == 'console':
        try:
            sys.stdout.write(call('console', {'id': uuid})['output'])
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
    else:
        sys.exit('there is no ' + verb)


main(sys.argv[1], sys.argv[2], sys.argv[4])
