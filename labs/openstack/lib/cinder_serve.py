"""All of Cinder in one process, as nova_serve.py is of Nova: API, scheduler and a cinder-volume whose volumes are files.

Its backend is none of a vendor's, but all that decides about types, quotas, attachments and deletion is Cinder's own.
"""
import cinder.cmd.volume  # noqa: first, as it patches the standard library
import os
import sys
import types

import eventlet
from cinder import coordination, objects, rpc, service
from cinder.common import config, constants
from cinder.volume import driver
from oslo_config import cfg
from oslo_log import log as logging

CONF = cfg.CONF
LOG = logging.getLogger('cinder.lab')
FOLDER = os.environ['LAB_DIR'] + '/volumes'


def path_of(thing):
    return '%s/%s' % (FOLDER, thing.name)


class LabVolumes(driver.VolumeDriver):
    """A volume is a sparse file, a snapshot another."""
    VENDOR = 'Spillway'
    VERSION = '1'

    def check_for_setup_error(self):
        os.makedirs(FOLDER, exist_ok=True)

    def _update_volume_stats(self):
        self._stats = dict(
            volume_backend_name=self.configuration.safe_get('volume_backend_name'), vendor_name=self.VENDOR,
            driver_version=self.VERSION, storage_protocol='fake', pools=[dict(
                pool_name='files', total_capacity_gb=4000, free_capacity_gb=4000, reserved_percentage=0,
                location_info='', QoS_support=False, provisioned_capacity_gb=0, max_over_subscription_ratio=1.0,
                thin_provisioning_support=False, thick_provisioning_support=True)])

    @staticmethod
    def _make(thing, gib):
        with open(path_of(thing), 'wb') as file:
            file.truncate(gib << 30)

    def create_volume(self, volume):
        self._make(volume, volume.size)

    def clone_image(self, context, volume, image_location, image_meta, image_service):
        with open(path_of(volume), 'wb') as file:
            image_service.download(context, image_meta['id'], file)
            file.truncate(volume.size << 30)
        return {}, True

    def delete_volume(self, volume):
        if os.path.exists(path_of(volume)):
            os.remove(path_of(volume))

    def create_snapshot(self, snapshot):
        self._make(snapshot, snapshot.volume_size)

    def delete_snapshot(self, snapshot):
        self.delete_volume(snapshot)

    def ensure_export(self, context, volume):
        pass

    def create_export(self, context, volume, connector):
        pass

    def remove_export(self, context, volume):
        pass

    def initialize_connection(self, volume, connector, **more):
        return {'driver_volume_type': 'fake', 'data': {'device_path': path_of(volume)}}

    def terminate_connection(self, volume, connector, **more):
        pass


module = types.ModuleType('cinder.volume.drivers.spillway_lab')
module.LabVolumes = LabVolumes
sys.modules['cinder.volume.drivers.spillway_lab'] = module


def main():
    objects.register_all()
    CONF(sys.argv[1:], project='cinder', version='lab')
    config.set_middleware_defaults()
    logging.setup(CONF, 'cinder')
    coordination.COORDINATOR.start()
    rpc.init(CONF)
    running = []

    def start(**named):
        made = service.Service.create(**named)
        made.start()
        running.append(made)
        LOG.warning('lab: %s is up', named['binary'])

    start(binary=constants.SCHEDULER_BINARY)
    CONF.register_opt(cinder.cmd.volume.host_opt, group='files')
    start(binary=constants.VOLUME_BINARY, host=CONF.host + '@files', service_name='files', coordination=True)
    api = service.WSGIService('osapi_volume')
    api.start()
    LOG.warning('lab: cinder is up')
    while True:
        eventlet.sleep(3600)


main()
