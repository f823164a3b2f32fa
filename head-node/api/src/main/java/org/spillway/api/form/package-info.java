/**
 * Statements of a request's record about its fields, made once: the reader and the OpenAPI document both follow them.
 */
@NullMarked
package org.spillway.api.form;

import org.jspecify.annotations.NullMarked;
