/** What a request's record says of its fields, once: the reader and the OpenAPI document both follow it. */
@NullMarked
package org.spillway.api.form;

import org.jspecify.annotations.NullMarked;
