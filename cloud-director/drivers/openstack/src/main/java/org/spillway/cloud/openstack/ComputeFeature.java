package org.spillway.cloud.openstack;

/**
 * Requests to Nova, with the least microversion that has it ("REST API Version History" of the Compute API). Each
 * request bears the lowest that suffices: later ones change what older requests mean, such as 2.69, since which a cell
 * that does not answer is told by servers without metadata.
 */
enum ComputeFeature {
    /** 2.61: flavors and servers tell the extra specs. Tags at boot (2.52) and the filter by them (2.26) are older. */
    BASE(61, "Spillway needs 2.61 (Rocky, 2018)"),
    /** 2.67: {@code volume_type} in {@code block_device_mapping_v2}. */
    VOLUME_TYPE(
            67,
            "volumeType needs 2.67 (Stein, 2019): leave it out, and have the operator make that type the project's"
                    + " default: cinder default-type-set TYPE PROJECT");

    private final int minor;
    private final String need;

    ComputeFeature(int minor, String need) {
        this.minor = minor;
        this.need = need;
    }

    /** Of the version 2.MINOR. */
    int minor() {
        return minor;
    }

    /** A sentence on who needs it, and what to do without. */
    String need() {
        return need;
    }

    /** The value of the header {@code OpenStack-API-Version}. */
    String header() {
        return "compute 2." + minor;
    }
}
