/**
 * The driver {@code azure}: virtual machines through Azure Resource Manager, and through whatever speaks its API. Figures
 * of the provider that stand in the code name their source; set-up, options and error codes are in
 * {@code docs/drivers/azure.md}.
 */
@NullMarked
package org.spillway.cloud.azure;

import org.jspecify.annotations.NullMarked;
