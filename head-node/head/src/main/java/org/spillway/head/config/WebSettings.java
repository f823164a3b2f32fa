package org.spillway.head.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The web page: everything for administrators of this machine, and to others the clusters on demand that are theirs.
 *
 * @param address a loopback address in numbers
 * @param port 0 for any that is free, or 1024 to 65535
 * @param userLinks for how long the others' links are good, 1 min to 30 d
 * @param metricsToken file with what a collector of metrics shows; empty for no metrics
 */
public record WebSettings(boolean enabled, String address, int port, Duration userLinks, Optional<Path> metricsToken) {}
