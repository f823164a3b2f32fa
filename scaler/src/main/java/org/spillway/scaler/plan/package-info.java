/** Pure decisions: packing, health, guardrails, explanations. No clock, no input or output. */
@NullMarked
package org.spillway.scaler.plan;

import org.jspecify.annotations.NullMarked;
