package org.spillway.head.config;

/**
 * A machine on which a director is installed and which is neither launched nor ended.
 *
 * @param address in numbers, on which it is reached and on which it listens for nodes
 * @param hostKey of its SSH server, one public line
 */
public record GivenDirector(String address, int sshPort, String hostKey) {}
