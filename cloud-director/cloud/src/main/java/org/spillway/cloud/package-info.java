/** The driver SPI: what Spillway asks of a provider. Drivers live in packages beside this one and keep their SDK there. */
@NullMarked
package org.spillway.cloud;

import org.jspecify.annotations.NullMarked;
