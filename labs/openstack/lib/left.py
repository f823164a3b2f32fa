"""left.py ENDPOINT PASSWORDFILE: what the lab's services still know of servers, as its administrator sees it."""
import sys

import openstack
from keystoneauth1 import session
from keystoneauth1.identity import v3

with open(sys.argv[2]) as file:
    password = file.read().strip()
auth = v3.Password(auth_url=sys.argv[1], username='admin', password=password, project_name='admin',
                   user_domain_name='Default', project_domain_name='Default')
cloud = openstack.connection.Connection(session=session.Session(auth=auth), region_name='RegionOne')
servers = list(cloud.compute.servers(details=False, all_projects=True))
ports = [port for port in cloud.network.ports() if port.device_owner.startswith('compute')]
placement = cloud.session.get_endpoint(service_type='placement', interface='public')
allocations = 0
for provider in cloud.session.get(placement + '/resource_providers').json()['resource_providers']:
    allocations += len(cloud.session.get('%s/resource_providers/%s/allocations' % (placement, provider['uuid']))
                       .json()['allocations'])
print('%d servers, %d ports of servers, %d allocations' % (len(servers), len(ports), allocations))
