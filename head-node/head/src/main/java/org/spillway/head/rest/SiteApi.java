package org.spillway.head.rest;

import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.ErrandOrder;
import org.spillway.api.ErrandView;
import org.spillway.api.OfferingView;

/**
 * Work of administrators on the accounts behind sites. Providers take their time, so what asks them is an errand: begun
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
     * Begins an errand; returns at once.
     *
     * @throws ApiException NOT_FOUND for a site that is not there; CONFLICT while another errand changes that site, when
     *     its driver cannot do that, or when something lives there that would suffer; TOO_MANY
     */
    ErrandView begin(ErrandOrder order);

    /** @throws ApiException NOT_FOUND for one that never was or ended long ago */
    ErrandView errand(String id);
}
