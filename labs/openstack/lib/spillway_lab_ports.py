"""Neutron without agents: every port is bound on every host at once, and active."""
from neutron_lib import constants
from neutron_lib.api.definitions import portbindings
from neutron_lib.plugins.ml2 import api


class LabPorts(api.MechanismDriver):
    def initialize(self):
        pass

    def bind_port(self, context):
        for segment in context.segments_to_bind:
            context.set_binding(segment[api.ID], portbindings.VIF_TYPE_OTHER, {portbindings.CAP_PORT_FILTER: True},
                                status=constants.PORT_STATUS_ACTIVE)
            return
