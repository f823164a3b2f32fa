"""seed.py identity|resources IP PASSWORDFILE: what a fresh lab holds; see README.md."""
import os
import sys

import openstack
from keystoneauth1 import session
from keystoneauth1.identity import v3

step, ip, password_file = sys.argv[1:4]
with open(password_file) as file:
    password = file.read().strip()
auth = v3.Password(auth_url='http://%s:5000/v3' % ip, username='admin', password=password, project_name='admin',
                   user_domain_name='Default', project_domain_name='Default')
cloud = openstack.connection.Connection(session=session.Session(auth=auth), region_name='RegionOne',
                                        compute_api_version='2.93', identity_api_version='3')
SERVICES = {'nova': ('compute', 8774, '/v2.1'), 'placement': ('placement', 8778, ''), 'glance': ('image', 9292, ''),
            'neutron': ('network', 9696, ''), 'cinder': ('volumev3', 8776, '/v3/%(project_id)s')}
GPU = 'pci_passthrough:alias'
FLAVORS = [('m1.tiny', 1, 512, 1, {}), ('m1.small', 2, 4096, 10, {}), ('m1.medium', 4, 8192, 20, {}),
           ('c1.large', 8, 32768, 40, {}), ('c1.fabric', 4, 8192, 20, {'spillway:fabric': 'infiniband'}),
           ('g1.h100', 8, 65536, 100, {GPU: 'h100:1'}), ('g1.h100x2', 16, 131072, 200, {GPU: 'h100:2'})]
PROJECTS = ('demo', 'other')


def identity():
    keystone = cloud.identity
    admin, member = keystone.find_role('admin'), keystone.find_role('member')
    service_role = keystone.find_role('service') or keystone.create_role(name='service')
    project = keystone.create_project(name='service', domain_id='default')
    for name, (kind, port, path) in SERVICES.items():
        user = keystone.create_user(name=name, password=password, domain_id='default', default_project_id=project.id)
        keystone.assign_project_role_to_user(project, user, admin)
        keystone.assign_project_role_to_user(project, user, service_role)
        service = keystone.create_service(name=name, type=kind)
        for facing in ('public', 'internal', 'admin'):
            keystone.create_endpoint(service_id=service.id, interface=facing, region_id='RegionOne',
                                     url='http://%s:%d%s' % (ip, port, path))
    for name in PROJECTS:
        project = keystone.create_project(name=name, domain_id='default')
        user = keystone.create_user(name=name, password=password, domain_id='default', default_project_id=project.id)
        keystone.assign_project_role_to_user(project, user, member)


def resources():
    for name, cpus, memory, disk, specs in FLAVORS:
        flavor = cloud.compute.create_flavor(name=name, vcpus=cpus, ram=memory, disk=disk)
        if specs:
            cloud.compute.create_flavor_extra_specs(flavor, specs)
    cloud.image.create_image(name='stock', disk_format='raw', container_format='bare', visibility='public',
                             data=os.urandom(65536), validate_checksum=False)
    network = cloud.network
    outside = network.create_network(name='public', is_router_external=True, provider_network_type='flat',
                                     provider_physical_network='outside')
    network.create_subnet(network_id=outside.id, name='public', ip_version=4, cidr='127.61.0.0/24',
                          is_dhcp_enabled=False)
    # Servers get addresses of this machine's loopback network, on which they can really listen.
    for index, name in enumerate(PROJECTS):
        project = cloud.identity.find_project(name)
        lan = network.create_network(name='lan', project_id=project.id)
        network.create_subnet(network_id=lan.id, name='lan', ip_version=4, project_id=project.id,
                              cidr='127.60.%d.0/17' % (128 * index), is_dhcp_enabled=False)
        cloud.compute.put('/os-quota-sets/%s' % project.id, json={'quota_set': {
            'instances': 200, 'cores': 800, 'ram': 4000000}}).raise_for_status()
    for name in ('plain', 'fast'):
        cloud.block_storage.create_type(name=name, extra_specs={'volume_backend_name': 'files'})


{'identity': identity, 'resources': resources}[step]()
