"""Neutron's API in this one process. There are no agents, so there is nobody to speak to by RPC."""
import neutron.common.eventlet_utils as eventlet_utils
eventlet_utils.monkey_patch()
import signal

from neutron import server, service


def run():
    api = service.serve_wsgi(service.NeutronApiService)
    # Neutron's own handler wants a launcher, which is not used here.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    api.wait()


server.boot_server(run)
