package org.spillway.head.rest;

import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.OfferingView;
import org.spillway.api.OperationOrder;
import org.spillway.api.OperationView;

/**
 * Work of administrators on the accounts behind sites. Providers take their time, so what asks them is an operation: begun
 * here, and looked at until it has ended.
 */
public interface SiteApi {
    /**
     * Offerings of sites, as last read.
     *
     * @param sites empty for all
     * @throws ApiException NOT_FOUND for a site that is not there
     */
    List<OfferingView> offerings(List<String> sites);

    /**
     * Begins an operation; returns at once.
     *
     * @throws ApiException NOT_FOUND for a site that is not there; CONFLICT while another operation changes that site, when
     *     its driver cannot do that, or when something lives there that would suffer; TOO_MANY
     */
    OperationView begin(OperationOrder order);

    /** @throws ApiException NOT_FOUND for one that never was or ended long ago */
    OperationView operation(String id);
}
