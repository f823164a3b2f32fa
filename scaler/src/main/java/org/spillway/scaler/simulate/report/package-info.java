/** A simulation's findings: figures and a page with charts. */
@NullMarked
package org.spillway.scaler.simulate.report;

import org.jspecify.annotations.NullMarked;
