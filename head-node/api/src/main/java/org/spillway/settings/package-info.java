/** Files of settings in YAML, and the mistakes in them with line and key. */
@NullMarked
package org.spillway.settings;

import org.jspecify.annotations.NullMarked;
