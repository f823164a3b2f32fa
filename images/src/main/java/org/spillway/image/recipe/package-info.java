/** From a recipe to a version: base, files, packages and scripts in a work folder, and smoke commands before anything is kept. */
@NullMarked
package org.spillway.image.recipe;

import org.jspecify.annotations.NullMarked;
