/** The configuration file: read, checked as a whole, every mistake named by file, line and key. */
@NullMarked
package org.spillway.head.config;

import org.jspecify.annotations.NullMarked;
