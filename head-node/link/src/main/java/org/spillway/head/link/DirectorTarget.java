package org.spillway.head.link;

/**
 * The instance that is, or is to become, a site's director.
 *
 * @param node the head's id for it; names its keys and certificate among the secrets
 * @param instance the provider's id
 * @param address where the head reaches its SSH server
 * @param inside its own address, on which it listens for nodes
 */
public record DirectorTarget(String site, String node, String instance, String address, int sshPort, String inside) {}
