/** Sessions in rooms of jobs, as far as a director has them: two connections that are joined. */
@NullMarked
package org.spillway.director.session;

import org.jspecify.annotations.NullMarked;
