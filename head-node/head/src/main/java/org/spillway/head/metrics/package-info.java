/** Metrics of the head for an administrator's collector, in Prometheus' text format. Pure. */
@NullMarked
package org.spillway.head.metrics;

import org.jspecify.annotations.NullMarked;
