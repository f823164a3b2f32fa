"""wsgi_serve.py keystone|placement IP PORT: one request at a time, which is what SQLite bears."""
import sys

import waitress

name, host, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
sys.argv = [name]
if name == 'keystone':
    from keystone.server.wsgi import initialize_public_application as application
else:
    from placement.wsgi import init_application as application
waitress.serve(application(), host=host, port=port, threads=1, ident=None, url_scheme='http',
               connection_limit=1000, channel_timeout=120, backlog=1024)
