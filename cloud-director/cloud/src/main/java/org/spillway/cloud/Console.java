package org.spillway.cloud;

/** Why a node does not come up. */
public interface Console {
    /** The last part of the instance's console, at most 64 KiB; untrusted text. */
    String output(String instanceId) throws CloudException;
}
