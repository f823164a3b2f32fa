/** Files at home as a node sees them: SFTP towards the node, questions towards home (ADR 67). */
@NullMarked
package org.spillway.director.reach;

import org.jspecify.annotations.NullMarked;
