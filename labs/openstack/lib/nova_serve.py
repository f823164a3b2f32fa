"""All of Nova in one process: API, conductor, scheduler and a nova-compute for each host.

oslo.messaging's fake:// transport carries messages within a process, so that no message broker is needed. All of it is
Nova's own code but the hypervisor, which asks LAB_HOOK to make a server real, or leaves it on paper without one.

Metadata that a server is launched with:  lab:boot_s=N  takes N seconds to build;  lab:fail=1  fails on every host.
"""
import nova.cmd  # noqa: first, as it patches the standard library
import json
import os
import subprocess
import sys
import types

import eventlet
import nova.conf
import os_vif
from eventlet import tpool
from nova import config, context, exception, objects, service
from nova.compute import rpcapi as compute_rpcapi
from nova.conductor import rpcapi as conductor_rpcapi
from nova.objects import host_mapping
from nova.scheduler import rpcapi as scheduler_rpcapi
from nova.virt import fake
from oslo_log import log as logging
from oslo_serialization import jsonutils

CONF = nova.conf.CONF
LOG = logging.getLogger('nova.lab')
DEFAULT_HOSTS = 'cpu-1:64:262144:4000:0,cpu-2:64:262144:4000:0,gpu-1:64:262144:4000:4'
HOSTS = {}
for word in os.environ.get('LAB_HOSTS', DEFAULT_HOSTS).split(','):
    host_name, *numbers = word.split(':')
    HOSTS[host_name] = dict(zip(('vcpus', 'memory_mb', 'local_gb', 'gpus'), map(int, numbers)))
HOOK = os.environ.get('LAB_HOOK')
SERVERS = os.environ['LAB_DIR'] + '/servers'
HOOK_SECONDS = 60
# Of each host's network card: a port with vnic type direct or macvtap needs one.
VIRTUAL_FUNCTIONS = 4


def run_hook(verb, uuid, name, path):
    with open(SERVERS + '/hook.log', 'ab') as log:
        done = subprocess.run([HOOK, verb, uuid, name, path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=log, timeout=HOOK_SECONDS)
        if verb != 'console':
            log.write(done.stdout)
    return done


class LabDriver(fake.FakeDriver):
    gpus = 0

    def init_host(self, host):
        super().init_host(host)
        self.__dict__.update(HOSTS[host])
        self.resources = fake.Resources(self.vcpus, self.memory_mb, self.local_gb)
        # The fake hypervisor forgets its guests when it ends; Nova does not.
        for known in objects.InstanceList.get_by_host(context.get_admin_context(), host):
            if known.vm_state == 'active':
                self.instances[known.uuid] = fake.FakeInstance(known.name, 1, known.uuid)

    def get_available_resource(self, nodename):
        status = super().get_available_resource(nodename)
        status['pci_passthrough_devices'] = jsonutils.dumps([
            {'address': '0000:%02x:00.0' % (0x41 + n), 'vendor_id': '10de', 'product_id': '2330', 'numa_node': None,
             'status': 'available', 'dev_type': 'type-PCI', 'dev_id': 'pci_0000_%02x' % (0x41 + n),
             'parent_addr': None, 'label': 'label_10de_2330'} for n in range(self.gpus)] + [
            {'address': '0000:81:00.%d' % n, 'vendor_id': '15b3', 'product_id': '101e', 'numa_node': None,
             'status': 'available', 'dev_type': 'type-VF', 'dev_id': 'pci_0000_81_00_%d' % n,
             'parent_addr': '0000:81:00.0', 'label': 'label_15b3_101e'} for n in range(1, 1 + VIRTUAL_FUNCTIONS)])
        return status

    def _hook(self, verb, instance, described=None):
        """Nova waits for it, on a real thread, as it waits for a hypervisor. A failure is Nova's to handle."""
        if not HOOK:
            return b''
        path = '%s/%s.json' % (SERVERS, instance.uuid)
        if described is not None:
            with open(path, 'w') as file:
                json.dump(described, file)
        done = tpool.execute(run_hook, verb, instance.uuid, instance.display_name or '', path)
        if done.returncode != 0:
            raise exception.InstanceDeployFailure(reason='%s ended with %d' % (verb, done.returncode))
        return done.stdout

    def spawn(self, context, instance, image_meta, injected_files, admin_password, allocations,
              network_info=None, **more):
        metadata = dict(instance.metadata or {})
        eventlet.sleep(float(metadata.get('lab:boot_s', 0)))
        if metadata.get('lab:fail'):
            raise exception.InstanceDeployFailure(reason='lab:fail stands in its metadata')
        super().spawn(context, instance, image_meta, injected_files, admin_password, allocations,
                      network_info=network_info, **more)
        self._hook('spawn', instance, dict(
            uuid=instance.uuid, name=instance.display_name, host=self._host, flavor=instance.flavor.name,
            ips=[ip['address'] for vif in (network_info or []) for ip in vif.fixed_ips()],
            metadata=metadata, user_data=instance.user_data, key_data=instance.key_data,
            project_id=instance.project_id))

    def destroy(self, context, instance, *more, **named):
        self._hook('destroy', instance)
        super().destroy(context, instance, *more, **named)

    def power_off(self, instance, *more, **named):
        self._hook('power_off', instance)
        super().power_off(instance, *more, **named)

    def power_on(self, context, instance, *more, **named):
        self._hook('power_on', instance)
        super().power_on(context, instance, *more, **named)

    def get_console_output(self, context, instance):
        return self._hook('console', instance)


module = types.ModuleType('nova.virt.spillway_lab')
module.LabDriver = LabDriver
sys.modules['nova.virt.spillway_lab'] = module


def main():
    config.parse_args(sys.argv)
    logging.setup(CONF, 'nova')
    objects.register_all()
    os_vif.initialize()
    running = []

    def start(binary, topic, host):
        made = service.Service.create(binary=binary, topic=topic, host=host)
        made.start()
        running.append(made)
        LOG.warning('lab: %s on %s is up', binary, host)

    start('nova-conductor', conductor_rpcapi.RPC_TOPIC, 'ctl')
    for host in HOSTS:
        start('nova-compute', compute_rpcapi.RPC_TOPIC, host)
    host_mapping.discover_hosts(context.get_admin_context())
    start('nova-scheduler', scheduler_rpcapi.RPC_TOPIC, 'ctl')
    objects.Service.enable_min_version_cache()
    api = service.WSGIService('osapi_compute')
    api.start()
    LOG.warning('lab: nova is up')
    api.wait()


main()
