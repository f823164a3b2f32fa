/** The client's side of a session in a job's room (ADR 68). */
@NullMarked
package org.spillway.cli.session;

import org.jspecify.annotations.NullMarked;
