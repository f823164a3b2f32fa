package org.spillway.head.link;

/**
 * The instance that is, or is to become, a site's director.
 *
 * @param node the head's id for it; names its keys and certificate among the secrets
 * @param instance the provider's id
 */
public record DirectorTarget(String site, String node, String instance, String address, int sshPort) {}
