/** What a simulation showed: figures and a page with charts. */
@NullMarked
package org.spillway.scaler.simulate.report;

import org.jspecify.annotations.NullMarked;
