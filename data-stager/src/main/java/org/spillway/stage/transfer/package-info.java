/** Ways to a site's staging space. Each backend is one class that passes {@code TransferContract}. */
@NullMarked
package org.spillway.stage.transfer;

import org.jspecify.annotations.NullMarked;
